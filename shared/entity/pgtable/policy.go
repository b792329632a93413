package pgtable

import (
	"regexp"
	"slices"
	"strings"
)

// readSetting matches the calls by which policies read settings of the session.
var readSetting = regexp.MustCompile(`current_setting\('([^']+)'`)

// Settings returns the settings of the session that the policy's own expressions read, in their order.
func (p *Policy) Settings() (names []string) {
	for _, call := range readSetting.FindAllStringSubmatch(p.Using+" "+p.WithCheck, -1) {
		if name := strings.ToLower(call[1]); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
