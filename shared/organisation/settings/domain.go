package settings

import (
	"regexp"
	"slices"

	"golang.org/x/net/publicsuffix"
)

// maxDomains is the maximum number of domains of recipients.
const maxDomains = 20

// domainPattern matches a DNS name of at least two labels.
var domainPattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

// DomainRule describes ValidDomains.
const DomainRule = "Up to 20 domain names, such as example.org, and no public suffixes, such as co.uk."

// ValidDomains reports whether each can be the domain of an organisation, and their number is
// allowed.
func ValidDomains(domains []string) bool {
	return len(domains) <= maxDomains && !slices.ContainsFunc(domains, func(d string) bool { return !isDomain(d) })
}

// isDomain reports whether s can be the domain of an organisation. Under a public suffix, such as
// co.uk, anybody registers names.
func isDomain(s string) bool {
	suffix, _ := publicsuffix.PublicSuffix(s)
	return len(s) <= 253 && domainPattern.MatchString(s) && suffix != s
}
