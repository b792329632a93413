package command

import (
	"errors"
	"fmt"
	"net"
	"net/url"

	"github.com/loadbay/loadbay/client"
)

// describeError describes an error for a person, with what support needs to find its cause.
func describeError(err error) string {
	var refused *client.Error
	var failed *url.Error
	switch {
	case errors.As(err, &refused) && refused.RequestID != "":
		return fmt.Sprintf("%s\nRequest ID: %s", err, refused.RequestID)
	case errors.As(err, &failed) && errors.As(err, new(net.Error)):
		return describeNetwork(failed)
	default:
		return err.Error()
	}
}

// describeNetwork describes why the installation cannot be reached.
func describeNetwork(failed *url.Error) string {
	at := failed.URL
	if u, err := url.Parse(failed.URL); err == nil {
		at = u.Scheme + "://" + u.Host
	}
	cause := failed.Err
	var operation *net.OpError
	switch {
	case failed.Timeout():
		return fmt.Sprintf("%s has not answered in time. Try again, or wait longer with --timeout.", at)
	case errors.As(cause, &operation):
		cause = operation.Err
	}
	return fmt.Sprintf("%s cannot be reached: %s. Check that it is running, and its address with: loadbay installation list", at, cause)
}
