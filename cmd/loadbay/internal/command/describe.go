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
	message = partPattern.ReplaceAllStringFunc(message, func(part string) string {
		names := partPattern.FindStringSubmatch(part)
		flag := flagOfMember(names[1])
		if !a.hasFlag(flag) {
			return part
		}
		return "  " + strings.TrimSpace("--"+flag+" "+names[2]) + ": "
	})
	if strings.Contains(message, "\n  --context-id: ") && a.hasFlag("period") {
		message += "\nUse its name instead: --period, --event or --belongs-to. See loadbay contexts TYPE."
	}
	return message
}

// hasFlag reports whether the command has a flag.
func (a *app) hasFlag(name string) bool { return a.flags != nil && a.flags.Lookup(name) != nil }

// upperPattern matches the beginning of a word in a name such as maxErrors.
var upperPattern = regexp.MustCompile(`[A-Z]`)

// flagOfMember returns the flag that sets a member or parameter of a request, if there is one.
func flagOfMember(member string) string {
	different := map[string]string{
		"importType": "type", "size": "limit", "createdFrom": "since", "createdTo": "until", "uploader": "person",
		"filters": "filter", "options": "option", "scopes": "scope",
	}
	if flag, ok := different[member]; ok {
		return flag
	}
	return upperPattern.ReplaceAllStringFunc(member, func(letter string) string { return "-" + strings.ToLower(letter) })
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
