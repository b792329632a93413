package iam

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"", "", true},
		{"*", "", true},
		{"a", "a", true},
		{"a", "A", false},
		{"a*", "abc/d:e", true},
		{"*c", "abc", true},
		{"a*c*e", "abcde", true},
		{"a*c*e", "abced", false},
		{"a**", "a", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"a?", "a", false},
		{"arn:aws:s3:::b/uploads/*", "arn:aws:s3:::b/uploads/1/x", true},
		{"arn:aws:s3:::b/uploads/*", "arn:aws:s3:::b/uploads", false},
		{"arn:aws:s3:::b/drop/*", "arn:aws:s3:::b/drop-quarantine/x", false},
		{"arn:aws:sqs:r:1:q", "arn:aws:sqs:r:1:q-dlq", false},
	} {
		require.Equal(t, c.want, matchPattern(c.pattern, c.text), "%s against %s", c.pattern, c.text)
	}
	require.True(t, arnMatches("arn:aws:events:*:1:rule/a*", "arn:aws:events:r:1:rule/ab:c"))
	require.False(t, arnMatches("arn:aws:events:*:rule/a", "arn:aws:events:r:1:rule/a"), "* does not match across the parts of an ARN")
}

// The rules of IAM's reference within one account.
func TestEvaluation(t *testing.T) {
	t.Parallel()
	const queue = "arn:aws:sqs:r:1:q"
	send := blueprint.Statement{Effect: blueprint.Allow, Action: []blueprint.Action{"sqs:SendMessage"}, Resource: []string{"arn:aws:sqs:r:1:*"}}
	deny := blueprint.Statement{Effect: blueprint.Deny, Action: []blueprint.Action{"sqs:*"}, Resource: []string{"*"}}
	onQueue := func(s blueprint.Statement, p blueprint.Principal) blueprint.Statement {
		s.Principal = &p
		return s
	}
	under := func(s blueprint.Statement, operator, key, value string) blueprint.Statement {
		s.Condition = map[string]map[string]string{operator: {key: value}}
		return s
	}
	events := blueprint.Principal{Service: blueprint.EventsService}
	everybody := blueprint.Principal{AWS: "*"}
	type statements []blueprint.Statement
	for name, c := range map[string]struct {
		action             blueprint.Action
		service            string
		identity, resource statements
		allowed, denied    bool
	}{
		"nothing":                               {action: "sqs:SendMessage"},
		"allowed":                               {action: "sqs:SendMessage", identity: statements{send}, allowed: true},
		"action in other case":                  {action: "SQS:sendmessage", identity: statements{send}, allowed: true},
		"another action":                        {action: "sqs:DeleteMessage", identity: statements{send}},
		"denied after an allow":                 {action: "sqs:SendMessage", identity: statements{send, deny}, denied: true},
		"denied before an allow":                {action: "sqs:SendMessage", identity: statements{deny, send}, denied: true},
		"denied by the resource policy":         {action: "sqs:SendMessage", identity: statements{send}, resource: statements{onQueue(deny, everybody)}, denied: true},
		"denial with an unmet condition":        {action: "sqs:SendMessage", identity: statements{send}, resource: statements{onQueue(under(deny, "Bool", "aws:SecureTransport", "false"), everybody)}, allowed: true},
		"denial with a met condition":           {action: "sqs:SendMessage", identity: statements{send}, resource: statements{onQueue(under(deny, "Bool", "aws:SecureTransport", "TRUE"), everybody)}, denied: true},
		"condition on an unknown key":           {action: "sqs:SendMessage", identity: statements{under(send, "StringEquals", "aws:PrincipalTag/x", "")}},
		"StringLike condition that matches":     {action: "sqs:SendMessage", identity: statements{under(send, "StringLike", "aws:SourceArn", "*rule/b/*")}, allowed: true},
		"StringEquals takes no wildcard":        {action: "sqs:SendMessage", identity: statements{under(send, "StringEquals", "aws:SourceArn", "*")}},
		"queue policy allows a service":         {action: "sqs:SendMessage", service: blueprint.EventsService, resource: statements{under(onQueue(send, events), "ArnEquals", "aws:SourceArn", "arn:aws:events:r:1:rule/b/r")}, allowed: true},
		"queue policy, other rule":              {action: "sqs:SendMessage", service: blueprint.EventsService, resource: statements{under(onQueue(send, events), "ArnEquals", "aws:SourceArn", "arn:aws:events:r:1:rule/b/s")}},
		"queue policy, other service":           {action: "sqs:SendMessage", service: "sns.amazonaws.com", resource: statements{onQueue(send, events)}},
		"queue policy, role instead of service": {action: "sqs:SendMessage", resource: statements{onQueue(send, events)}},
		"queue policy without a principal":      {action: "sqs:SendMessage", resource: statements{send}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := evaluate(Request{
				Action: c.action, Resource: queue,
				Context: map[string]string{"aws:SecureTransport": "true", "aws:SourceArn": "arn:aws:events:r:1:rule/b/r"},
			}, c.service, []blueprint.Policy{{Statement: c.identity}}, []blueprint.Policy{{Statement: c.resource}})
			require.Equal(t, c.allowed, d.allowed)
			require.Equal(t, c.denied, d.denied)
		})
	}
}

func TestUnsupportedPoliciesAreRefused(t *testing.T) {
	t.Parallel()
	for _, s := range []blueprint.Statement{
		{Effect: "Perhaps"},
		{Effect: blueprint.Allow, Condition: map[string]map[string]string{"IpAddress": {"aws:SourceIp": "10.0.0.0/8"}}},
	} {
		_, err := New(Config{Roles: map[string]blueprint.Policy{"r": {Statement: []blueprint.Statement{s}}}})
		require.Error(t, err)
	}
	b, place := blueprint.New(), blueprint.LocalDeployment()
	for _, f := range b.Functions {
		require.NoError(t, checkPolicy(b.RolePolicy(f, place)))
	}
	for _, q := range b.Queues {
		require.NoError(t, checkPolicy(b.QueuePolicy(q.Name, place)))
	}
	require.NoError(t, checkPolicy(b.BucketPolicy(place)))
}
