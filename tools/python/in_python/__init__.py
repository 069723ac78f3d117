"""The main job as a user of the reference would write it with torch, PIL, xarray and scikit-learn."""
