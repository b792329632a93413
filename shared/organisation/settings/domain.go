package settings

import "regexp"

// maxDomains is the most domains whose addresses may be told of imports.
const maxDomains = 20

// domainPattern is a name of at least two labels, as DNS has them.
var domainPattern = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$`)

func isDomain(s string) bool { return len(s) <= 253 && domainPattern.MatchString(s) }
