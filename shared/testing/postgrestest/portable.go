package postgrestest

import "regexp"

// Unportable are parts of statements that fail, or mean something else, on other tables than
// Loadbay's own: ctid is not unique in a partitioned table, xmax cannot be returned from one, ON
// CONFLICT without a constraint fails with a deferrable one, public belongs to others, and a cast to a
// length cuts a text that an assignment refuses.
var Unportable = regexp.MustCompile(`(?i)\bctid\b|\bxmax\b|\bON CONFLICT DO\b|\bpublic\.|'public'|::(?:character varying|varchar|character|char|bpchar|bit|bit varying|varbit)\s*\(`)
