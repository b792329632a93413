package blueprint

import "slices"

// allQueueEnv are the addresses of the queues and of their dead-letter queues.
func allQueueEnv() []Env {
	var env []Env
	for _, q := range []struct{ name, queue string }{
		{"ROWS_QUEUE_URL", RowsQueue}, {"EXPORTS_QUEUE_URL", ExportsQueue}, {"FETCHES_QUEUE_URL", FetchesQueue}, {"WEBHOOKS_QUEUE_URL", WebhooksQueue},
		{"ROWS_DEAD_LETTERS_URL", RowsDeadLetters}, {"EXPORTS_DEAD_LETTERS_URL", ExportsDeadLetters}, {"FETCHES_DEAD_LETTERS_URL", FetchesDeadLetters},
		{"WEBHOOKS_DEAD_LETTERS_URL", WebhooksDeadLetters}, {"EVENTS_DEAD_LETTERS_URL", EventsDeadLetters},
	} {
		env = append(env, Env{Name: q.name, Ref: QueueURL, RefName: q.queue})
	}
	return env
}

// operatorGrants permit an operator to see the state of executions and the length of queues,
// read dead letters, and send messages to queues. They do not permit starting, stopping or
// completing executions; for that, the operator function notifies reconcile.
func operatorGrants() []Grant {
	grants := []Grant{
		tableGrant("UpdateItem"),
		{Actions: []Action{"states:DescribeExecution"}, Resource: OnExecutions},
	}
	for _, queue := range []string{RowsQueue, ExportsQueue, FetchesQueue, WebhooksQueue} {
		grants = append(grants, Grant{Actions: []Action{"sqs:SendMessage", "sqs:GetQueueAttributes"}, Resource: OnQueue, ResourceName: queue})
	}
	for _, queue := range []string{RowsDeadLetters, ExportsDeadLetters, FetchesDeadLetters, WebhooksDeadLetters, EventsDeadLetters} {
		dead := receiveMessages(queue)
		dead.Actions = append(slices.Clone(dead.Actions), changeVisibility(queue).Actions...)
		grants = append(grants, dead)
	}
	return grants
}
