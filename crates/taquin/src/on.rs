//! Where an engine runs.

use serde::{Deserialize, Serialize};

taquin_search::named_enum! {
    /// Where an engine runs.
    #[derive(PartialOrd, Ord, Default, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum On: "on" {
        /// On the processor.
        #[default]
        Cpu = "cpu",
        /// On a CUDA device.
        Gpu = "gpu",
    }
}
