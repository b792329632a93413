// Package version identifies the source that a program was built from, for logs and GET
// /health.
package version

import "runtime/debug"

// stamped is set by the linker (-X), from git describe; see the Makefile.
var stamped string

// unknown is the version of a program without a stamp and without Go's build information.
const unknown = "devel"

// String returns the version: the output of git describe (v0.1.0, or v0.1.0-3-g1a2b3c4d5e6f for a
// later commit, with -dirty for uncommitted changes), else the version in Go's build
// information, else "devel".
func String() string {
	info, _ := debug.ReadBuildInfo()
	return choose(stamped, info)
}

func choose(stamped string, info *debug.BuildInfo) string {
	switch {
	case stamped != "":
		return stamped
	case info == nil || info.Main.Version == "" || info.Main.Version == "(devel)":
		return unknown
	default:
		return info.Main.Version
	}
}
