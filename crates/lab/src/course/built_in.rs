//! The courses and papers that are part of the program.

use std::sync::{Arc, LazyLock};

use super::Course;

/// The files, in the order in which courses are listed.
const FILES: [&str; 18] = [
    include_str!("../../courses/ucr-list.toml"),
    include_str!("../../courses/ucr-heap.toml"),
    include_str!("../../courses/cse5aif.toml"),
    include_str!("../../courses/nxm.toml"),
    include_str!("../../courses/columbia.toml"),
    include_str!("../../courses/princeton.toml"),
    include_str!("../../courses/42.toml"),
    include_str!("../../courses/uta.toml"),
    include_str!("../../courses/ufrgs.toml"),
    include_str!("../../courses/korf85.toml"),
    include_str!("../../courses/kf02.toml"),
    include_str!("../../courses/random24.toml"),
    include_str!("../../courses/bss25.toml"),
    include_str!("../../courses/mm15.toml"),
    include_str!("../../courses/usb.toml"),
    include_str!("../../courses/fer.toml"),
    include_str!("../../courses/tul.toml"),
    include_str!("../../courses/upenn.toml"),
];

static COURSES: LazyLock<Vec<Arc<Course>>> = LazyLock::new(|| {
    let read = |toml: &&str| Course::read(toml).expect("the built-in courses are tested");
    // The module that a page loads first leaves courses to the whole one.
    let files: &[&str] = if taquin::IS_FIRST { &[] } else { &FILES };
    files.iter().map(read).map(Arc::new).collect()
});

impl Course {
    /// The courses and papers that are part of the program.
    pub fn built_in() -> &'static [Arc<Self>] {
        &COURSES
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_built_in_course_of_that_name() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/courses");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        files.sort();
        let mut names: Vec<String> =
            Course::built_in().iter().map(|course| format!("{}.toml", course.name)).collect();
        names.sort();
        assert_eq!(files, names);
        for course in Course::built_in() {
            assert!(course.source.is_some(), "{} has no source", course.name);
        }
    }
}
