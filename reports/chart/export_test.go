package chart

// What the tests in chart_test see besides the exported names.

const Unmeasured = unmeasured
