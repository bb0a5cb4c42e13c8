"""A local web app over the runs folder: pages with a `.json` twin each, and the labels people give."""
