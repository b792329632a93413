package command

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"strings"

	"github.com/loadbay/loadbay/client"
)

// describeError describes an error for a person, with what support needs to find its cause.
func (a *app) describeError(err error) string {
	var refused *client.Error
	var failed *url.Error
	switch {
	case errors.As(err, &refused) && refused.RequestID != "":
		return fmt.Sprintf("%s\nRequest ID: %s", a.inOwnWords(err.Error()), refused.RequestID)
	case errors.As(err, &failed) && errors.As(err, new(net.Error)):
		return describeNetwork(failed)
	default:
		return err.Error()
	}
}

// partPattern matches how client.Error begins the description of a part of a request.
var partPattern = regexp.MustCompile(`(?m)^  (\w+)(?:\.([^: ]+))?: `)

// inOwnWords replaces the names of the API in a message by commands, and by flags of this command.
func (a *app) inOwnWords(message string) string {
	message = strings.NewReplacer(
		"in GET /api/import-types", "that loadbay types lists",
		"GET /api/import-types", "loadbay types",
		"in GET /api/profiles", "that loadbay profiles list shows",
		"GET /api/types/schema", "loadbay api /api/types/schema",
	).Replace(message)
	return partPattern.ReplaceAllStringFunc(message, func(part string) string {
		names := partPattern.FindStringSubmatch(part)
		flag, ok := flagOfMember(names[1])
		if !ok || a.flags == nil || a.flags.Lookup(flag) == nil {
			return part
		}
		return "  " + strings.TrimSpace("--"+flag+" "+names[2]) + ": "
	})
}

// flagOfMember returns the flag that sets a member of a request.
func flagOfMember(member string) (flag string, ok bool) {
	flag, ok = map[string]string{
		"importType": "type", "contextId": "context-id", "size": "limit", "filters": "filter", "options": "option", "mapping": "mapping",
		"profile": "profile", "mode": "mode", "guards": "guards", "maxErrors": "max-errors", "approval": "approval", "review": "review",
		"notify": "notify", "label": "label", "createdFrom": "since", "createdTo": "until", "fields": "fields",
	}[member]
	return flag, ok
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
