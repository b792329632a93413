package version

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	built := func(version string) *debug.BuildInfo {
		return &debug.BuildInfo{Main: debug.Module{Version: version}}
	}
	for name, c := range map[string]struct {
		stamped string
		info    *debug.BuildInfo
		want    string
	}{
		"a stamp":                      {"v0.1.0-3-g1a2b3c4d5e6f", built("v0.0.1"), "v0.1.0-3-g1a2b3c4d5e6f"},
		"build info with a tag":        {"", built("v0.1.0"), "v0.1.0"},
		"build info of a working tree": {"", built("(devel)"), "devel"},
		"build info without a version": {"", built(""), "devel"},
		"no build info":                {"", nil, "devel"},
	} {
		require.Equal(t, c.want, choose(c.stamped, c.info), name)
	}
}
