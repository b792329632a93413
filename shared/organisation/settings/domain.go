package settings

import (
	"regexp"

	"golang.org/x/net/publicsuffix"
)

// maxDomains is the maximum number of domains of recipients.
const maxDomains = 20

// domainPattern matches a DNS name of at least two labels.
var domainPattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// isDomain reports whether s can be the domain of an organisation. Under a public suffix, such as
// co.uk, anybody registers names.
func isDomain(s string) bool {
	suffix, _ := publicsuffix.PublicSuffix(s)
	return len(s) <= 253 && domainPattern.MatchString(s) && suffix != s
}
