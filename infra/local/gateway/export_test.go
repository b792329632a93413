package gateway

import "time"

// ForgetFetch makes the keys of an issuer old.
func ForgetFetch(i *RemoteIssuer) { i.tried, i.fetched = time.Time{}, time.Time{} }
