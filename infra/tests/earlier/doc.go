// Package earlier tests the clients with a server that is one version older: a proxy in front of a
// running stack hides all that the description of the last release does not have.
package earlier
