// Package grants tests that the functions' roles have the permissions that they use, and
// no others: every permission of the blueprint is used by a suite or has a documented
// reason, and removing a used permission makes something fail.
package grants
