package settings

import "regexp"

// maxDomains is the maximum number of domains of recipients.
const maxDomains = 20

// domainPattern matches a DNS name of at least two labels.
var domainPattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

func isDomain(s string) bool { return len(s) <= 253 && domainPattern.MatchString(s) }
