package blueprint

import (
	"slices"
	"time"
)

// Names of the queues and prefixes that more than one resource refers to.
const (
	RowsQueue       = "loadbay-rows"
	RowsDeadLetters = "loadbay-rows-dlq"
	ExportsQueue    = "loadbay-exports"
	// ExportsDeadLetters brings exports that failed too often back to their
	// function, which ends them.
	ExportsDeadLetters = "loadbay-exports-dlq"
	FetchesQueue       = "loadbay-fetches"
	// FetchesDeadLetters brings files that could not be stored often enough back
	// to their function, which fails their jobs.
	FetchesDeadLetters = "loadbay-fetches-dlq"
	// ErasuresQueue holds persons whose erasure nobody has gone on with.
	// What fails is queued again by reconcile in any case; so it shares the dead letters that
	// nobody puts back.
	ErasuresQueue = "loadbay-erasures"
	// WebhooksQueue holds the events that `notify` sends to webhooks.
	WebhooksQueue       = "loadbay-webhooks"
	WebhooksDeadLetters = "loadbay-webhooks-dlq"
	// EventsDeadLetters keeps object events that no invocation could handle, and erasures.
	EventsDeadLetters = "loadbay-events-dlq"

	UploadsPrefix = "uploads/" // sources that came through the API or a presigned upload
	ChunksPrefix  = "chunks/"  // rows of workbooks, cut
	DropPrefix    = "drop/"    // the drop folder
	// QuarantinePrefix is where files of the drop folder go that cannot be imported.
	QuarantinePrefix = "drop-quarantine/"
	ResultsPrefix    = "results/" // what is written back next to the drop folder
	ExportsPrefix    = "exports/" // finished exports
	// DiscardTag marks objects that are to be deleted within days, whoever
	// operates the service; no function sets it.
	DiscardTag = "loadbay:discard=yes"
)

// New returns the blueprint of Loadbay.
func New() *Blueprint {
	return &Blueprint{
		Functions: bounded(raising(functions())),
		Queues: []Queue{
			// Visibility is six times the processor's timeout, so that a message
			// comes back only when its invocation is certainly over.
			// Rows are kept for as long as their execution waits for them.
			{Name: RowsQueue, Visibility: 12 * time.Minute, Retention: 14 * 24 * time.Hour, DeadLetter: RowsDeadLetters, MaxReceive: 5},
			{Name: RowsDeadLetters, Visibility: 6 * time.Minute, Retention: 14 * 24 * time.Hour},
			{Name: ExportsQueue, Visibility: 90 * time.Minute, Retention: 4 * 24 * time.Hour, DeadLetter: ExportsDeadLetters, MaxReceive: 3},
			{Name: ExportsDeadLetters, Visibility: 90 * time.Minute, Retention: 14 * 24 * time.Hour},
			{Name: FetchesQueue, Visibility: 42 * time.Minute, Retention: 4 * 24 * time.Hour, DeadLetter: FetchesDeadLetters, MaxReceive: 3},
			{Name: FetchesDeadLetters, Visibility: 42 * time.Minute, Retention: 14 * 24 * time.Hour},
			{Name: ErasuresQueue, Visibility: 30 * time.Minute, Retention: 24 * time.Hour, DeadLetter: EventsDeadLetters, MaxReceive: 3},
			{Name: WebhooksQueue, Visibility: 6 * time.Minute, Retention: 4 * 24 * time.Hour, DeadLetter: WebhooksDeadLetters, MaxReceive: 10},
			{Name: WebhooksDeadLetters, Visibility: time.Minute, Retention: 14 * 24 * time.Hour},
			{Name: EventsDeadLetters, Visibility: time.Minute, Retention: 14 * 24 * time.Hour},
		},
		EventSources: []EventSource{
			{Queue: RowsQueue, Function: "process", BatchSize: 1, MaxConcurrency: 20, LocalConcurrency: 2},
			{Queue: RowsDeadLetters, Function: "deadletter", BatchSize: 10, MaxConcurrency: 2, LocalConcurrency: 1},
			{Queue: ExportsQueue, Function: "export", BatchSize: 1, MaxConcurrency: 5, LocalConcurrency: 1},
			{Queue: ExportsDeadLetters, Function: "export", BatchSize: 1, MaxConcurrency: 2, LocalConcurrency: 1},
			{Queue: FetchesQueue, Function: "fetch", BatchSize: 1, MaxConcurrency: 10, LocalConcurrency: 2},
			{Queue: FetchesDeadLetters, Function: "fetch", BatchSize: 1, MaxConcurrency: 2, LocalConcurrency: 1},
			{Queue: ErasuresQueue, Function: "erase", BatchSize: 1, MaxConcurrency: 2, LocalConcurrency: 1},
			{Queue: WebhooksQueue, Function: "notify", BatchSize: 1, MaxConcurrency: 10, LocalConcurrency: 1},
		},
		ObjectEvents: []ObjectEvent{
			{Prefix: UploadsPrefix, Function: "drop", DeadLetter: EventsDeadLetters},
			{Prefix: DropPrefix, Function: "drop", DeadLetter: EventsDeadLetters},
		},
		EventBus: EventBus{
			Name:  "loadbay",
			Rules: []EventRule{{Name: "webhooks", Source: "loadbay", Queue: WebhooksQueue}},
		},
		Schedules: []Schedule{
			// wake asks no database; reconcile looks every night in any case, while purge has
			// it awake, so that what nobody could announce is found.
			{Name: "wake", Expression: "rate(1 minute)", Function: WakeFunction},
			{Name: "reconcile", Expression: "cron(5 2 * * ? *)", Function: ReconcileFunction},
			{Name: "purge", Expression: "cron(0 2 * * ? *)", Function: "purge"},
		},
		Bucket: Bucket{
			Name: "loadbay-files",
			// The longest retention in the database is 180 days (order batches);
			// a job may wait 90 days for a person and is kept 7 days after.
			Rules: []LifecycleRule{
				{Name: "uploads", Prefix: UploadsPrefix, ExpireDays: 190, AbortUploadDays: 7},
				{Name: "chunks", Prefix: ChunksPrefix, ExpireDays: 110, AbortUploadDays: 7},
				{Name: "drop", Prefix: DropPrefix, ExpireDays: 190, AbortUploadDays: 7},
				{Name: "quarantine", Prefix: QuarantinePrefix, ExpireDays: 190, AbortUploadDays: 7},
				{Name: "results", Prefix: ResultsPrefix, ExpireDays: 190, AbortUploadDays: 7},
				{Name: "exports", Prefix: ExportsPrefix, ExpireDays: 14, AbortUploadDays: 1},
				// What has to go before its time, by the thousand: docs/runbook.md.
				{Name: "discarded", Tag: DiscardTag, ExpireDays: 1},
			},
		},
		Table:        Table{Name: "loadbay-coordination", PartitionKey: "pk", SortKey: "sk", TTLAttr: "expires_at"},
		Secret:       Secret{Name: "loadbay-webhook-keys"},
		StateMachine: StateMachine{Name: "loadbay-import"},
	}
}

func functions() []Function {
	return []Function{
		{
			// Room for 2,000 requests a second of 50 ms: a stage lets in fewer. Files that come all
			// at once, and the executions that they start, have the rest of the account.
			Name: "api", Purpose: "Serves the HTTP API.", Room: 100,
			Memory: 512, Timeout: 29 * time.Second, Database: AppRole,
			Env: slices.Concat(files(), eventBus(), coordination(), workflow(), webhooksQueue(), webhookKeys(), []Env{
				exportsQueue(), fetchesQueue(),
				{Name: "STREAM_URL", Ref: FunctionURL, Of: "stream"}, connectBriefly(),
			}, accepting(), signingIn(), settings("IDEMPOTENCY_LIFETIME")),
			Uses: []Grant{
				publishEvents(), queueWebhooks(), readSecret(),
				// A signed address is good for what its signer may do; AWS asks for both.
				{Actions: []Action{"lambda:InvokeFunctionUrl", "lambda:InvokeFunction"}, Resource: OnFunction, Of: "stream"},
				send(FetchesQueue), send(ExportsQueue),
				findObjects(), readWrite(UploadsPrefix), listParts(UploadsPrefix), table("GetItem", "PutItem", "UpdateItem", "DeleteItem"),
				// Error workbooks are made of sources and chunks; large ones are downloaded.
				read(DropPrefix), read(ChunksPrefix), read(ExportsPrefix), writeParts(ExportsPrefix),
				// What is in quarantine is deleted, or goes back to where it was.
				read(QuarantinePrefix), remove(QuarantinePrefix), copyTags(QuarantinePrefix), write(DropPrefix), pasteTags(DropPrefix),
				{Actions: []Action{"states:StartExecution"}, Resource: OnStateMachine},
				{Actions: []Action{"states:StopExecution", "states:DescribeExecution"}, Resource: OnExecutions},
				completeTask(),
			},
		},
		{
			Name: "drop", Purpose: "Starts the import of an object that has arrived in the bucket.",
			Memory: 256, Timeout: time.Minute, Database: AppRole,
			Env: slices.Concat(files(), eventBus(), workflow(), accepting()),
			Uses: []Grant{
				publishEvents(),
				findObjects(), read(UploadsPrefix), read(DropPrefix), readWrite(QuarantinePrefix), remove(QuarantinePrefix), copyTags(DropPrefix), pasteTags(QuarantinePrefix), remove(DropPrefix),
				{Actions: []Action{"states:StartExecution"}, Resource: OnStateMachine},
			},
		},
		{
			Name: "analyze", Purpose: "Finds out what a file is and matches its columns.",
			Memory: 1024, Timeout: 5 * time.Minute, Disk: 2048, Database: AppRole,
			Env:  slices.Concat(files(), eventBus()),
			Uses: []Grant{read(UploadsPrefix), read(DropPrefix), publishEvents()},
		},
		{
			Name: "await", Purpose: "Keeps the token of a waiting state, or completes it when there is nothing left to wait for; judges plans.",
			Memory: 256, Timeout: 2 * time.Minute, Database: AppRole,
			Env:  slices.Concat(eventBus(), coordination(), workflow()),
			Uses: []Grant{table("PutItem"), completeTask(), publishEvents()},
		},
		{
			Name: "resolve", Purpose: "Finds the entities that the file's values stand for.",
			Memory: 1024, Timeout: 15 * time.Minute, Disk: 2048, Database: AppRole,
			Env:  slices.Concat(files(), eventBus()),
			Uses: []Grant{read(UploadsPrefix), read(DropPrefix), publishEvents()},
		},
		{
			Name: "split", Purpose: "Cuts a file into chunks of rows and queues them.",
			Memory: 1024, Timeout: 15 * time.Minute, Disk: 4096, Database: AppRole,
			Env: slices.Concat(files(), rowsQueue(), settings("CHUNK_ROWS")),
			Uses: []Grant{
				read(UploadsPrefix), read(DropPrefix), read(ChunksPrefix), write(ChunksPrefix), remove(ChunksPrefix),
				send(RowsQueue),
			},
		},
		{
			Name: "process", Purpose: "Writes one chunk of rows to the database, exactly once.",
			Memory: 1024, Timeout: 2 * time.Minute, Concurrency: 20, Database: AppRole,
			Env: slices.Concat(files(), eventBus(), coordination(), workflow(), []Env{seldomCollected()}),
			Uses: []Grant{
				publishEvents(),
				read(UploadsPrefix), read(DropPrefix), read(ChunksPrefix), table("GetItem"), completeTask(),
				consume(RowsQueue),
			},
		},
		{
			Name: "wholefile", Purpose: "Imports a file whose rows depend on each other.",
			Memory: 2048, Timeout: 15 * time.Minute, Disk: 2048, Database: AppRole,
			Env:  files(),
			Uses: []Grant{read(UploadsPrefix), read(DropPrefix)},
		},
		{
			Name: "complete", Purpose: "Checks that every row is accounted for and ends the job.",
			Memory: 256, Timeout: 5 * time.Minute, Database: AppRole,
			Env:  slices.Concat(files(), eventBus()),
			Uses: []Grant{writeParts(ResultsPrefix), publishEvents()},
		},
		{
			Name: "fail", Purpose: "Records why an import could not be finished.",
			Memory: 256, Timeout: 5 * time.Minute, Database: AppRole,
			Env:  slices.Concat(files(), eventBus()),
			Uses: []Grant{writeParts(ResultsPrefix), publishEvents()},
		},
		{
			Name: "deadletter", Purpose: "Gives the rows of an undeliverable chunk an outcome.",
			Memory: 512, Timeout: time.Minute, Database: AppRole,
			Env: slices.Concat(files(), coordination(), workflow()),
			Uses: []Grant{
				read(UploadsPrefix), read(DropPrefix), read(ChunksPrefix), table("GetItem"), completeTask(), consume(RowsDeadLetters),
			},
		},
		{
			// The disk holds the XML of a workbook while it is written.
			Name: "stream", Purpose: "Streams the rows of a type through its own address.",
			// Slots for four organisations that take all that they may. A stream needs one
			// connection at a time.
			Memory: 512, Timeout: 15 * time.Minute, Disk: 2048, Concurrency: 8, Database: AppRole, Streams: true,
			Env: slices.Concat(quotas(), settings("STREAM_LIFETIME", "STREAM_READER_TIMEOUT"), []Env{{Name: "DATABASE_CONNECTIONS", Value: "1"}}),
		},
		{
			Name: WakeFunction, Purpose: "Calls reconcile when there may be work for it.",
			Memory: 128, Timeout: 20 * time.Second,
			Env: []Env{{Name: dueTable, Ref: TableName}, {Name: "RECONCILE_FUNCTION", Ref: FunctionName, Of: ReconcileFunction}},
			Uses: []Grant{
				table("GetItem"),
				{Actions: []Action{"lambda:InvokeFunction"}, Resource: OnFunction, Of: ReconcileFunction},
			},
		},
		{
			Name: ReconcileFunction, Purpose: "Finishes or reports whatever is stuck.",
			Memory: 256, Timeout: 2 * time.Minute, Concurrency: 1, Database: MaintenanceRole,
			Env: slices.Concat(files(), eventBus(), coordination(), workflow(), webhooksQueue(), []Env{exportsQueue(), fetchesQueue(), erasuresQueue(), aloneConnections()}),
			Uses: []Grant{
				publishEvents(), queueWebhooks(), send(ExportsQueue), send(FetchesQueue), send(ErasuresQueue),
				findObjects(), read(UploadsPrefix), table("GetItem", "UpdateItem"), completeTask(),
				{Actions: []Action{"states:StartExecution"}, Resource: OnStateMachine},
				{Actions: []Action{"states:DescribeExecution", "states:StopExecution"}, Resource: OnExecutions},
			},
		},
		{
			Name: "purge", Purpose: "Deletes imports and exports that are kept no longer.",
			Memory: 256, Timeout: 15 * time.Minute, Concurrency: 1, Database: MaintenanceRole,
			Env: slices.Concat(files(), eventBus(), coordination(), workflow(), []Env{aloneConnections()}),
			Uses: []Grant{
				publishEvents(),
				findObjects(), remove(UploadsPrefix), remove(ChunksPrefix), remove(ExportsPrefix), table("Query", "DeleteItem"),
				{Actions: []Action{"states:StopExecution"}, Resource: OnExecutions},
			},
		},
		{
			// It calls addresses that callers name, so it is outside the database's network,
			// which has no way to the internet.
			Name: "fetch", Purpose: "Gets the file of an import from the address that its caller named.",
			Memory: 512, Timeout: 7 * time.Minute,
			Env: slices.Concat(files(), ledger(), []Env{fetchesQueue(), {Name: "FETCHES_DEAD_LETTERS_URL", Ref: QueueURL, Of: FetchesDeadLetters}}, settings("MAX_FILE_BYTES")),
			Uses: []Grant{
				askLedger(), writeParts(UploadsPrefix),
				consume(FetchesQueue), postpone(FetchesQueue), consume(FetchesDeadLetters), postpone(FetchesDeadLetters),
			},
		},
		{
			Name: LedgerFunction, Purpose: "Does the database's side of what is done outside its network: of fetching files and of telling of events.",
			Memory: 256, Timeout: time.Minute, Database: AppRole,
			Env: slices.Concat(files(), eventBus(), workflow(), settings("MAX_FILE_BYTES")),
			Uses: []Grant{
				publishEvents(),
				findObjects(), read(UploadsPrefix), writeParts(ResultsPrefix),
				{Actions: []Action{"states:StartExecution"}, Resource: OnStateMachine},
			},
		},
		{
			// A workbook's rows are written to the disk before they are packed.
			Name: "export", Purpose: "Writes the rows of a type to a file, and marks what is wrong in the file of an import.",
			Memory: 1024, Timeout: 15 * time.Minute, Disk: 4096, Database: AppRole,
			Env: slices.Concat(files(), []Env{exportsQueue(), {Name: "EXPORTS_DEAD_LETTERS_URL", Ref: QueueURL, Of: ExportsDeadLetters}}),
			Uses: []Grant{
				// The file of an import is given back with marks.
				read(UploadsPrefix), read(DropPrefix),
				{Actions: []Action{"s3:PutObject", "s3:AbortMultipartUpload"}, Resource: OnBucket, Of: ExportsPrefix},
				consume(ExportsQueue), postpone(ExportsQueue), consume(ExportsDeadLetters), postpone(ExportsDeadLetters),
			},
		},
		{
			Name: "erase", Purpose: "Goes on erasing persons where a request could not wait.",
			Memory: 512, Timeout: 5 * time.Minute, Database: AppRole,
			Uses: []Grant{consume(ErasuresQueue)},
		},
		{
			// It calls addresses that organisations name, from outside the database's network
			// like fetch.
			Name: "notify", Purpose: "Sends the events of imports to an organisation's webhook, and mails about them.",
			Memory: 256, Timeout: time.Minute,
			Env:  slices.Concat(webhookKeys(), ledger(), settings("MAIL_FROM")),
			Uses: []Grant{consume(WebhooksQueue), askLedger(), readSecret(), {Actions: []Action{"ses:SendEmail"}, Resource: OnMailIdentities}},
		},
		{
			// Bounded, so it connects directly: the proxy, which the other functions
			// share, cannot sign in as the operator.
			Name: OperatorFunction, Purpose: "Makes organisations and what their files refer to; shows what stands still, and brings it again.",
			Memory: 256, Timeout: 29 * time.Second, Concurrency: 2, Database: OperatorRole,
			Env:  slices.Concat(claimNames(), coordination(), workflow(), allQueues(), settings("STUCK_AFTER"), []Env{connectBriefly()}),
			Uses: overseeing(),
		},
		{
			Name: "migrate", Purpose: "Brings the database's schema up to date.",
			Memory: 256, Timeout: 15 * time.Minute, Concurrency: 1, Database: AdminRole,
			Env:  webhookKeys(),
			Uses: []Grant{readSecret()},
		},
	}
}

// settings may be set by whoever deploys.
func settings(names ...string) []Env {
	env := make([]Env, len(names))
	for i, name := range names {
		env[i] = Env{Name: name, Ref: Setting}
	}
	return env
}

// quotas are those of organisations that have none of their own.
func quotas() []Env {
	return settings("QUOTA_OPEN_IMPORTS", "QUOTA_ANNOUNCED_BYTES", "QUOTA_OPEN_EXPORTS", "QUOTA_STREAMS", "QUOTA_REQUESTS_PER_MINUTE")
}

// accepting is what bounds the imports that are accepted.
func accepting() []Env { return slices.Concat(quotas(), settings("MAX_FILE_BYTES", "MAIL_FROM")) }

func files() []Env        { return []Env{{Name: "BUCKET", Ref: BucketName}} }
func coordination() []Env { return []Env{{Name: "COORDINATION_TABLE", Ref: TableName}} }
func workflow() []Env     { return []Env{{Name: "STATE_MACHINE_ARN", Ref: StateMachineARN}} }
func eventBus() []Env     { return []Env{{Name: "EVENT_BUS", Ref: EventBusName}} }
func webhooksQueue() []Env {
	return []Env{{Name: "WEBHOOKS_QUEUE_URL", Ref: QueueURL, Of: WebhooksQueue}}
}

// LedgerFunction does the database's side of what is done outside the database's network.
const LedgerFunction = "ledger"

func ledger() []Env {
	return []Env{{Name: "LEDGER_FUNCTION", Ref: FunctionName, Of: LedgerFunction}}
}

func askLedger() Grant {
	return Grant{Actions: []Action{"lambda:InvokeFunction"}, Resource: OnFunction, Of: LedgerFunction}
}

// aloneConnections is one more connection, which holds the lock of what runs alone.
func aloneConnections() Env { return Env{Name: "DATABASE_CONNECTIONS", Value: "3"} }

func exportsQueue() Env { return Env{Name: "EXPORTS_QUEUE_URL", Ref: QueueURL, Of: ExportsQueue} }
func fetchesQueue() Env { return Env{Name: "FETCHES_QUEUE_URL", Ref: QueueURL, Of: FetchesQueue} }
func erasuresQueue() Env {
	return Env{Name: "ERASURES_QUEUE_URL", Ref: QueueURL, Of: ErasuresQueue}
}
func rowsQueue() []Env { return []Env{{Name: "ROWS_QUEUE_URL", Ref: QueueURL, Of: RowsQueue}} }

// webhookKeys are what the secrets of webhooks are sealed with.
func webhookKeys() []Env { return []Env{{Name: "WEBHOOK_KEYS_SECRET", Ref: SecretName}} }

func readSecret() Grant {
	return Grant{Actions: []Action{"secretsmanager:GetSecretValue"}, Resource: OnSecret}
}

func read(prefix string) Grant {
	return Grant{Actions: []Action{"s3:GetObject"}, Resource: OnBucket, Of: prefix}
}

func write(prefix string) Grant {
	return Grant{Actions: []Action{"s3:PutObject"}, Resource: OnBucket, Of: prefix}
}

// writeParts is write for objects of unknown size.
func writeParts(prefix string) Grant {
	return Grant{Actions: []Action{"s3:PutObject", "s3:AbortMultipartUpload"}, Resource: OnBucket, Of: prefix}
}

func readWrite(prefix string) Grant {
	return Grant{Actions: []Action{"s3:GetObject", "s3:PutObject"}, Resource: OnBucket, Of: prefix}
}

// listParts lets an upload in parts be completed without its sender's receipts.
func listParts(prefix string) Grant {
	return Grant{Actions: []Action{"s3:ListMultipartUploadParts"}, Resource: OnBucket, Of: prefix}
}

func remove(prefix string) Grant {
	return Grant{Actions: []Action{"s3:DeleteObject"}, Resource: OnBucket, Of: prefix}
}

// findObjects distinguishes a missing object from a forbidden one.
func findObjects() Grant {
	return Grant{Actions: []Action{"s3:ListBucket"}, Resource: OnBucket}
}

// copyTags and pasteTags let a copy of an object have the object's tags: where it
// has any, S3 refuses a copy without them.
func copyTags(prefix string) Grant {
	return Grant{Actions: []Action{"s3:GetObjectTagging"}, Resource: OnBucket, Of: prefix}
}

func pasteTags(prefix string) Grant {
	return Grant{Actions: []Action{"s3:PutObjectTagging"}, Resource: OnBucket, Of: prefix}
}

// table lets the tokens of waiting states and idempotency keys be worked with.
func table(operations ...Action) Grant {
	g := Grant{Resource: OnTable}
	for _, o := range operations {
		g.Actions = append(g.Actions, "dynamodb:"+o)
	}
	return g
}

func completeTask() Grant {
	return Grant{Actions: []Action{"states:SendTaskSuccess"}, Resource: OnStateMachine}
}

// publishEvents permits publishing the events of imports.
func publishEvents() Grant {
	return Grant{Actions: []Action{"events:PutEvents"}, Resource: OnEventBus}
}

func queueWebhooks() Grant {
	return Grant{Actions: []Action{"sqs:SendMessage"}, Resource: OnQueue, Of: WebhooksQueue}
}

func send(queue string) Grant {
	return Grant{Actions: []Action{"sqs:SendMessage"}, Resource: OnQueue, Of: queue}
}

// postpone lets a message that failed come back before its visibility ends.
func postpone(queue string) Grant {
	return Grant{Actions: []Action{"sqs:ChangeMessageVisibility"}, Resource: OnQueue, Of: queue}
}

func consume(queue string) Grant {
	return Grant{Actions: []Action{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}, Resource: OnQueue, Of: queue}
}
