//! Where an engine runs.

taquin_search::named_enum! {
    /// Where an engine runs.
    #[derive(PartialOrd, Ord, Default)]
    pub enum Device: "on" {
        /// On the processor.
        #[default]
        Cpu = "cpu",
        /// On a CUDA device.
        Gpu = "gpu",
    }
}
