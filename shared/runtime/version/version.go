// Package version identifies the source that a program was built from, for logs and
// GET /health.
package version

import "runtime/debug"

// stamped is set by the linker (-X), from git describe; see the Makefile.
var stamped string

// unknown is the version of a program that carries neither a stamp nor Go's own record.
const unknown = "devel"

// String returns the version: what git describe said of the commit (v0.1.0, or
// v0.1.0-3-g1a2b3c4d5e6f for a commit after it, with -dirty for changes that were
// not committed), else what Go recorded of the module, else "devel".
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
