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
	// ExportsDeadLetters returns exports that failed too often to their function, which ends them.
	ExportsDeadLetters = "loadbay-exports-dlq"
	FetchesQueue       = "loadbay-fetches"
	// FetchesDeadLetters returns files that could not be stored to their function, which fails their
	// jobs.
	FetchesDeadLetters = "loadbay-fetches-dlq"
	// ObjectsQueue holds the events of new objects by organisation, so that many files of one do not
	// delay the others. Files that exceed a quota wait in it.
	ObjectsQueue = "loadbay-objects"
	// WebhooksQueue holds the events about which `notify` sends e-mails and queues webhook calls, and
	// these calls, by organisation. A queue of their own would cost as much a month as this one; slots
	// keep calls from holding all invocations.
	WebhooksQueue       = "loadbay-webhooks"
	WebhooksDeadLetters = "loadbay-webhooks-dlq"
	// EventsDeadLetters holds object events that no invocation could handle.
	EventsDeadLetters = "loadbay-events-dlq"

	UploadsPrefix = "uploads/" // original files from the API or a presigned upload
	ChunksPrefix  = "chunks/"  // chunks of workbook rows
	DropPrefix    = "drop/"    // the drop folder
	// QuarantinePrefix holds files of the drop folder that cannot be imported.
	QuarantinePrefix = "drop-quarantine/"
	ResultsPrefix    = "results/" // results, written next to the drop folder
	ExportsPrefix    = "exports/" // finished exports
	// DiscardTag marks objects for deletion within days. Operators set it; no function does.
	DiscardTag = "loadbay:discard=yes"
)

// New returns the blueprint of Loadbay.
func New() *Blueprint {
	return &Blueprint{
		Functions: withMemoryLimits(withDueTable(functions())),
		Queues: []Queue{
			// The visibility timeout is six times the processor's timeout, so that a message returns only
			// after its invocation has certainly ended. Messages are retained for as long as their execution
			// waits for them. Functions return failed messages earlier, so that five receives take more than
			// ten minutes in an outage, and less than one with other errors (shared/aws/lambdafn).
			{Name: RowsQueue, Visibility: 12 * time.Minute, Retention: 14 * 24 * time.Hour, DeadLetter: RowsDeadLetters, MaxReceive: 5},
			{Name: RowsDeadLetters, Visibility: 6 * time.Minute, Retention: 14 * 24 * time.Hour},
			{Name: ExportsQueue, Visibility: 90 * time.Minute, Retention: 4 * 24 * time.Hour, DeadLetter: ExportsDeadLetters, MaxReceive: 5},
			{Name: ExportsDeadLetters, Visibility: 90 * time.Minute, Retention: 14 * 24 * time.Hour},
			{Name: FetchesQueue, Visibility: 42 * time.Minute, Retention: 4 * 24 * time.Hour, DeadLetter: FetchesDeadLetters, MaxReceive: 5},
			{Name: FetchesDeadLetters, Visibility: 42 * time.Minute, Retention: 14 * 24 * time.Hour},
			{Name: ObjectsQueue, Visibility: 6 * time.Minute, Retention: 4 * 24 * time.Hour, DeadLetter: EventsDeadLetters, MaxReceive: 5},
			{Name: WebhooksQueue, Visibility: 6 * time.Minute, Retention: 4 * 24 * time.Hour, DeadLetter: WebhooksDeadLetters, MaxReceive: 10},
			{Name: WebhooksDeadLetters, Visibility: time.Minute, Retention: 14 * 24 * time.Hour},
			{Name: EventsDeadLetters, Visibility: time.Minute, Retention: 14 * 24 * time.Hour},
		},
		EventSources: []EventSource{
			{Queue: RowsQueue, Function: "process", BatchSize: 1, MaxConcurrency: 20, LocalConcurrency: 2},
			{Queue: RowsDeadLetters, Function: "deadletter", BatchSize: 10, MaxConcurrency: 2, LocalConcurrency: 1},
			{Queue: ExportsQueue, Function: "export", BatchSize: 1, MaxConcurrency: 5, LocalConcurrency: 1},
			{Queue: ExportsDeadLetters, Function: "export", BatchSize: 1, MaxConcurrency: 2, LocalConcurrency: 1},
			// More than one organisation's slots: quota.FetchSlot, quota.CallSlot.
			{Queue: FetchesQueue, Function: "fetch", BatchSize: 1, MaxConcurrency: 10, LocalConcurrency: 3},
			{Queue: FetchesDeadLetters, Function: "fetch", BatchSize: 1, MaxConcurrency: 2, LocalConcurrency: 1},
			{Queue: ObjectsQueue, Function: "drop", BatchSize: 1, MaxConcurrency: 8, LocalConcurrency: 3},
			{Queue: WebhooksQueue, Function: "notify", BatchSize: 1, MaxConcurrency: 10, LocalConcurrency: 4},
		},
		ObjectEvents: []ObjectEvent{
			{Prefix: UploadsPrefix, Function: "enqueue", DeadLetter: EventsDeadLetters},
			{Prefix: DropPrefix, Function: "enqueue", DeadLetter: EventsDeadLetters},
		},
		EventBus: EventBus{
			Name:  "loadbay",
			Rules: []EventRule{{Name: "webhooks", Source: "loadbay", Queue: WebhooksQueue}},
		},
		Schedules: []Schedule{
			// wake does not query the database. Reconcile runs every night in any case, while purge keeps
			// the database awake, to find work that was not announced.
			{Name: "wake", Expression: "rate(1 minute)", Function: WakeFunction},
			{Name: "reconcile", Expression: "cron(5 2 * * ? *)", Function: ReconcileFunction},
			{Name: "purge", Expression: "cron(0 2 * * ? *)", Function: "purge"},
		},
		Bucket: Bucket{
			Name: "loadbay-files",
			// The longest retention in the database is 180 days (order batches); a job may wait 90 days for
			// a person and is retained for 7 days after that.
			Rules: []LifecycleRule{
				{Name: "uploads", Prefix: UploadsPrefix, ExpireDays: 190, AbortUploadDays: 7},
				{Name: "chunks", Prefix: ChunksPrefix, ExpireDays: 110, AbortUploadDays: 7},
				{Name: "drop", Prefix: DropPrefix, ExpireDays: 190, AbortUploadDays: 7},
				{Name: "quarantine", Prefix: QuarantinePrefix, ExpireDays: 190, AbortUploadDays: 7},
				{Name: "results", Prefix: ResultsPrefix, ExpireDays: 190, AbortUploadDays: 7},
				{Name: "exports", Prefix: ExportsPrefix, ExpireDays: 14, AbortUploadDays: 1},
				// For mass deletion before the retention ends: docs/runbook.md.
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
			// Enough for 2,000 requests a second of 50 ms; a stage admits fewer. Bursts of files and their
			// executions have the rest of the account's limit.
			Name: "api", Purpose: "Serves the HTTP API.", ReservedConcurrency: 100,
			Memory: 512, Timeout: 29 * time.Second, Database: AppRole,
			Env: slices.Concat(bucketEnv(), eventBusEnv(), coordinationEnv(), stateMachineEnv(), webhooksQueueEnv(), webhookKeysEnv(), []Env{
				exportsQueueEnv(), fetchesQueueEnv(),
				{Name: "STREAM_URL", Ref: FunctionURL, RefName: "stream"}, connectEnv(shortConnectTimeout),
			}, importLimitSettings(), signInEnv(), settingsEnv("IDEMPOTENCY_LIFETIME", "STREAMS")),
			Grants: []Grant{
				publishEvents(), sendWebhooks(), readSecret(),
				// A signed address has the permissions of its signer; AWS requires both actions.
				{Actions: []Action{"lambda:InvokeFunctionUrl", "lambda:InvokeFunction"}, Resource: OnFunction, ResourceName: "stream"},
				sendMessages(FetchesQueue), sendMessages(ExportsQueue),
				listBucket(), readWriteObjects(UploadsPrefix), listParts(UploadsPrefix), tableGrant("GetItem", "PutItem", "UpdateItem", "DeleteItem"),
				// Error workbooks are created from original files and chunks; large ones are downloaded.
				readObjects(DropPrefix), readObjects(ChunksPrefix), readObjects(ExportsPrefix), writeMultipart(ExportsPrefix),
				// Quarantined files are deleted, or moved back to the drop folder.
				readObjects(QuarantinePrefix), deleteObjects(QuarantinePrefix), readTags(QuarantinePrefix), writeObjects(DropPrefix), writeTags(DropPrefix),
				{Actions: []Action{"states:StartExecution"}, Resource: OnStateMachine},
				{Actions: []Action{"states:StopExecution", "states:DescribeExecution"}, Resource: OnExecutions},
				completeTask(),
			},
		},
		{
			// EventBridge cannot name the organisation of an object, so the events of all arrive here in the
			// order of their creation. The function connects to no database and takes milliseconds.
			Name: "enqueue", Purpose: "Queues the event of a new object for its organisation.",
			Memory: 128, Timeout: 20 * time.Second,
			Env:    []Env{objectsQueueEnv()},
			Grants: []Grant{sendMessages(ObjectsQueue)},
		},
		{
			Name: "drop", Purpose: "Starts the import of an object created in the bucket.", ReservedConcurrency: 10,
			Memory: 256, Timeout: time.Minute, Database: AppRole,
			Env: slices.Concat(bucketEnv(), eventBusEnv(), stateMachineEnv(), []Env{objectsQueueEnv()}, importLimitSettings(), settingsEnv("DROP_SENDERS")),
			Grants: []Grant{
				publishEvents(), receiveMessages(ObjectsQueue), changeVisibility(ObjectsQueue), sendMessages(ObjectsQueue),
				listBucket(), readObjects(UploadsPrefix), deleteObjects(UploadsPrefix), readObjects(DropPrefix), readWriteObjects(QuarantinePrefix), deleteObjects(QuarantinePrefix), readTags(DropPrefix), writeTags(QuarantinePrefix), deleteObjects(DropPrefix),
				{Actions: []Action{"states:StartExecution"}, Resource: OnStateMachine},
			},
		},
		{
			Name: "analyze", Purpose: "Detects the format of a file and matches its columns.",
			Memory: 1024, Timeout: 5 * time.Minute, Disk: 2048, Database: AppRole,
			Env:    slices.Concat(bucketEnv(), eventBusEnv()),
			Grants: []Grant{readObjects(UploadsPrefix), readObjects(DropPrefix), publishEvents()},
		},
		{
			Name: "await", Purpose: "Saves the task token of a waiting state, or completes the state; checks plans.",
			Memory: 256, Timeout: 2 * time.Minute, Database: AppRole,
			Env:    slices.Concat(eventBusEnv(), coordinationEnv(), stateMachineEnv()),
			Grants: []Grant{tableGrant("PutItem"), completeTask(), publishEvents()},
		},
		{
			Name: "resolve", Purpose: "Resolves the file's values to entities.",
			Memory: 1024, Timeout: 15 * time.Minute, Disk: 2048, Database: AppRole,
			Env:    slices.Concat(bucketEnv(), eventBusEnv()),
			Grants: []Grant{readObjects(UploadsPrefix), readObjects(DropPrefix), publishEvents()},
		},
		{
			Name: "split", Purpose: "Splits a file into chunks of rows and queues them.",
			Memory: 1024, Timeout: 15 * time.Minute, Disk: 4096, Database: AppRole,
			Env: slices.Concat(bucketEnv(), rowsQueueEnv(), settingsEnv("CHUNK_ROWS")),
			Grants: []Grant{
				readObjects(UploadsPrefix), readObjects(DropPrefix), readObjects(ChunksPrefix), writeObjects(ChunksPrefix), deleteObjects(ChunksPrefix),
				sendMessages(RowsQueue),
			},
		},
		{
			Name: "process", Purpose: "Writes one chunk of rows to the database, exactly once.",
			Memory: 1024, Timeout: 2 * time.Minute, Concurrency: 20, Database: AppRole,
			Env: slices.Concat(bucketEnv(), eventBusEnv(), coordinationEnv(), stateMachineEnv(), rowsQueueEnv(), []Env{reducedGCEnv()}),
			Grants: []Grant{
				publishEvents(),
				readObjects(UploadsPrefix), readObjects(DropPrefix), readObjects(ChunksPrefix), tableGrant("GetItem"), completeTask(),
				receiveMessages(RowsQueue), changeVisibility(RowsQueue),
			},
		},
		{
			Name: "wholefile", Purpose: "Imports a file whose rows depend on each other.",
			Memory: 2048, Timeout: 15 * time.Minute, Disk: 2048, Database: AppRole,
			Env:    bucketEnv(),
			Grants: []Grant{readObjects(UploadsPrefix), readObjects(DropPrefix)},
		},
		{
			Name: "complete", Purpose: "Checks that every row is accounted for and ends the job.",
			Memory: 256, Timeout: 5 * time.Minute, Database: AppRole,
			Env:    slices.Concat(bucketEnv(), eventBusEnv()),
			Grants: []Grant{writeMultipart(ResultsPrefix), publishEvents()},
		},
		{
			Name: "fail", Purpose: "Records why an import could not be finished.",
			Memory: 256, Timeout: 5 * time.Minute, Database: AppRole,
			Env:    slices.Concat(bucketEnv(), eventBusEnv()),
			Grants: []Grant{writeMultipart(ResultsPrefix), publishEvents()},
		},
		{
			Name: "deadletter", Purpose: "Records outcomes for the rows of an undeliverable chunk.",
			Memory: 512, Timeout: time.Minute, Database: AppRole,
			Env: slices.Concat(bucketEnv(), coordinationEnv(), stateMachineEnv()),
			Grants: []Grant{
				readObjects(UploadsPrefix), readObjects(DropPrefix), readObjects(ChunksPrefix), tableGrant("GetItem"), completeTask(), receiveMessages(RowsDeadLetters),
			},
		},
		{
			// The disk holds the XML of a workbook while it is written.
			Name: "stream", Purpose: "Streams the rows of a type through a function URL.",
			// Enough for four organisations that use their full quota. A stream needs one connection at a
			// time.
			Memory: 512, Timeout: 15 * time.Minute, Disk: 2048, Concurrency: 8, Database: AppRole, Streams: true,
			Env: slices.Concat(quotaSettings(), settingsEnv("STREAM_LIFETIME", "STREAM_READER_TIMEOUT"), []Env{{Name: "DATABASE_CONNECTIONS", Value: "1"}}),
		},
		{
			Name: WakeFunction, Purpose: "Invokes reconcile when work may be pending.",
			Memory: 128, Timeout: 20 * time.Second,
			Env: []Env{{Name: dueTableEnv, Ref: TableName}, {Name: "RECONCILE_FUNCTION", Ref: FunctionName, RefName: ReconcileFunction}},
			Grants: []Grant{
				tableGrant("GetItem"),
				{Actions: []Action{"lambda:InvokeFunction"}, Resource: OnFunction, ResourceName: ReconcileFunction},
			},
		},
		{
			Name: ReconcileFunction, Purpose: "Finishes or reports stuck jobs.",
			Memory: 256, Timeout: 2 * time.Minute, Concurrency: 1, Database: MaintenanceRole,
			Env: slices.Concat(bucketEnv(), eventBusEnv(), coordinationEnv(), stateMachineEnv(), webhooksQueueEnv(), []Env{exportsQueueEnv(), fetchesQueueEnv(), {Name: "ERASE_FUNCTION", Ref: FunctionName, RefName: eraseFunction}, lockConnectionEnv()}),
			Grants: []Grant{
				publishEvents(), sendWebhooks(), sendMessages(ExportsQueue), sendMessages(FetchesQueue),
				{Actions: []Action{"lambda:InvokeFunction"}, Resource: OnFunction, ResourceName: eraseFunction},
				listBucket(), readObjects(UploadsPrefix), tableGrant("GetItem", "UpdateItem"), completeTask(),
				{Actions: []Action{"states:StartExecution"}, Resource: OnStateMachine},
				{Actions: []Action{"states:DescribeExecution", "states:StopExecution"}, Resource: OnExecutions},
			},
		},
		{
			Name: "purge", Purpose: "Deletes imports and exports after their retention period.",
			Memory: 256, Timeout: 15 * time.Minute, Concurrency: 1, Database: MaintenanceRole,
			Env: slices.Concat(bucketEnv(), eventBusEnv(), coordinationEnv(), stateMachineEnv(), []Env{lockConnectionEnv()}),
			Grants: []Grant{
				publishEvents(),
				listBucket(), deleteObjects(UploadsPrefix), deleteObjects(ChunksPrefix), deleteObjects(ExportsPrefix), tableGrant("Query", "DeleteItem"),
				{Actions: []Action{"states:StopExecution"}, Resource: OnExecutions},
			},
		},
		{
			// It calls addresses named by callers, so it is outside the database's network, which has no
			// route to the internet.
			Name: "fetch", Purpose: "Fetches the file of an import from a URL.",
			Memory: 512, Timeout: 7 * time.Minute,
			Env: slices.Concat(bucketEnv(), ledgerEnv(), []Env{fetchesQueueEnv(), {Name: "FETCHES_DEAD_LETTERS_URL", Ref: QueueURL, RefName: FetchesDeadLetters}}, settingsEnv("MAX_FILE_BYTES")),
			Grants: []Grant{
				invokeLedger(), writeMultipart(UploadsPrefix),
				receiveMessages(FetchesQueue), changeVisibility(FetchesQueue), sendMessages(FetchesQueue), receiveMessages(FetchesDeadLetters), changeVisibility(FetchesDeadLetters),
			},
		},
		{
			Name: LedgerFunction, Purpose: "Accesses the database for functions outside its network (fetch and notify).",
			Memory: 256, Timeout: time.Minute, Database: AppRole,
			Env: slices.Concat(bucketEnv(), eventBusEnv(), stateMachineEnv(), settingsEnv("MAX_FILE_BYTES")),
			Grants: []Grant{
				publishEvents(),
				listBucket(), readObjects(UploadsPrefix), writeMultipart(ResultsPrefix),
				{Actions: []Action{"states:StartExecution"}, Resource: OnStateMachine},
			},
		},
		{
			// A workbook's rows are written to the disk before they are compressed.
			Name: "export", Purpose: "Writes the rows of a type or a whole organisation to a file, and annotates errors in the file of an import.",
			Memory: 1024, Timeout: 15 * time.Minute, Disk: 4096, Database: AppRole,
			Env: slices.Concat(bucketEnv(), []Env{exportsQueueEnv(), {Name: "EXPORTS_DEAD_LETTERS_URL", Ref: QueueURL, RefName: ExportsDeadLetters}}),
			Grants: []Grant{
				// An error workbook is the import's file with marks. The archive of an organisation contains all
				// original files that exist.
				listBucket(), readObjects(UploadsPrefix), readObjects(DropPrefix), readObjects(QuarantinePrefix),
				{Actions: []Action{"s3:PutObject", "s3:AbortMultipartUpload"}, Resource: OnBucket, ResourceName: ExportsPrefix},
				receiveMessages(ExportsQueue), changeVisibility(ExportsQueue), receiveMessages(ExportsDeadLetters), changeVisibility(ExportsDeadLetters),
			},
		},
		{
			// Reconcile invokes it, and again if an erasure makes no progress, so it needs no queue, which
			// would cost as much a month as the others.
			Name: eraseFunction, Purpose: "Continues long-running erasures of persons, and deletes organisations.", ReservedConcurrency: 2,
			Memory: 512, Timeout: 5 * time.Minute, Database: AppRole,
			Env: slices.Concat(bucketEnv(), coordinationEnv(), stateMachineEnv(), settingsEnv("DELETION_SETTLE")),
			Grants: []Grant{
				listBucket(), deleteObjects(UploadsPrefix), deleteObjects(ChunksPrefix), deleteObjects(DropPrefix), deleteObjects(QuarantinePrefix),
				deleteObjects(ResultsPrefix), deleteObjects(ExportsPrefix), tableGrant("Query", "DeleteItem"),
				{Actions: []Action{"states:StopExecution"}, Resource: OnExecutions},
			},
		},
		{
			// Like fetch, it calls addresses named by organisations, from outside the database's network.
			Name: "notify", Purpose: "Sends events of imports to an organisation's webhook and by e-mail.",
			Memory: 256, Timeout: time.Minute,
			Env:    slices.Concat(webhooksQueueEnv(), webhookKeysEnv(), ledgerEnv(), settingsEnv("MAIL_FROM")),
			Grants: []Grant{receiveMessages(WebhooksQueue), sendWebhooks(), invokeLedger(), readSecret(), {Actions: []Action{"ses:SendEmail"}, Resource: OnMailIdentities}},
		},
		{
			// Its concurrency is limited, so it connects directly: the proxy, which the other functions
			// share, cannot sign in as the operator.
			Name: OperatorFunction, Purpose: "Manages organisations and their reference entries; lists and requeues stuck work.",
			Memory: 256, Timeout: 40 * time.Second, Concurrency: 2, Database: OperatorRole,
			Env:    slices.Concat(claimNames(), coordinationEnv(), stateMachineEnv(), allQueueEnv(), settingsEnv("STUCK_AFTER"), []Env{connectEnv(commandConnectTimeout)}),
			Grants: operatorGrants(),
		},
		{
			Name: "migrate", Purpose: "Migrates the database schema.",
			Memory: 256, Timeout: 15 * time.Minute, Concurrency: 1, Database: AdminRole,
			Env:    slices.Concat(webhookKeysEnv(), settingsEnv("SAMPLES")),
			Grants: []Grant{readSecret()},
		},
	}
}

// settingsEnv returns variables that a deployer may set.
func settingsEnv(names ...string) []Env {
	env := make([]Env, len(names))
	for i, name := range names {
		env[i] = Env{Name: name, Ref: Setting}
	}
	return env
}

// quotaSettings are the default quotas of organisations.
func quotaSettings() []Env {
	return settingsEnv("QUOTA_OPEN_IMPORTS", "QUOTA_ANNOUNCED_BYTES", "QUOTA_OPEN_EXPORTS", "QUOTA_STREAMS", "QUOTA_REQUESTS_PER_MINUTE")
}

// importLimitSettings are the limits for accepting imports.
func importLimitSettings() []Env {
	return slices.Concat(quotaSettings(), settingsEnv("MAX_FILE_BYTES", "MAIL_FROM"))
}

func bucketEnv() []Env       { return []Env{{Name: "BUCKET", Ref: BucketName}} }
func coordinationEnv() []Env { return []Env{{Name: "COORDINATION_TABLE", Ref: TableName}} }
func stateMachineEnv() []Env { return []Env{{Name: "STATE_MACHINE_ARN", Ref: StateMachineARN}} }
func eventBusEnv() []Env     { return []Env{{Name: "EVENT_BUS", Ref: EventBusName}} }
func webhooksQueueEnv() []Env {
	return []Env{{Name: "WEBHOOKS_QUEUE_URL", Ref: QueueURL, RefName: WebhooksQueue}}
}

// eraseFunction continues erasures of persons, and deletes organisations.
const eraseFunction = "erase"

// LedgerFunction accesses the database for functions outside the database's network.
const LedgerFunction = "ledger"

func ledgerEnv() []Env {
	return []Env{{Name: "LEDGER_FUNCTION", Ref: FunctionName, RefName: LedgerFunction}}
}

func invokeLedger() Grant {
	return Grant{Actions: []Action{"lambda:InvokeFunction"}, Resource: OnFunction, ResourceName: LedgerFunction}
}

// lockConnectionEnv adds a connection, which holds the lock of a function that must not run
// concurrently.
func lockConnectionEnv() Env { return Env{Name: "DATABASE_CONNECTIONS", Value: "3"} }

func exportsQueueEnv() Env {
	return Env{Name: "EXPORTS_QUEUE_URL", Ref: QueueURL, RefName: ExportsQueue}
}
func fetchesQueueEnv() Env {
	return Env{Name: "FETCHES_QUEUE_URL", Ref: QueueURL, RefName: FetchesQueue}
}
func objectsQueueEnv() Env {
	return Env{Name: "OBJECTS_QUEUE_URL", Ref: QueueURL, RefName: ObjectsQueue}
}
func rowsQueueEnv() []Env { return []Env{{Name: "ROWS_QUEUE_URL", Ref: QueueURL, RefName: RowsQueue}} }

// webhookKeysEnv names the secret with the keys that encrypt the secrets of webhooks.
func webhookKeysEnv() []Env { return []Env{{Name: "WEBHOOK_KEYS_SECRET", Ref: SecretName}} }

func readSecret() Grant {
	return Grant{Actions: []Action{"secretsmanager:GetSecretValue"}, Resource: OnSecret}
}

func readObjects(prefix string) Grant {
	return Grant{Actions: []Action{"s3:GetObject"}, Resource: OnBucket, ResourceName: prefix}
}

func writeObjects(prefix string) Grant {
	return Grant{Actions: []Action{"s3:PutObject"}, Resource: OnBucket, ResourceName: prefix}
}

// writeMultipart permits writing objects of unknown size.
func writeMultipart(prefix string) Grant {
	return Grant{Actions: []Action{"s3:PutObject", "s3:AbortMultipartUpload"}, Resource: OnBucket, ResourceName: prefix}
}

func readWriteObjects(prefix string) Grant {
	return Grant{Actions: []Action{"s3:GetObject", "s3:PutObject"}, Resource: OnBucket, ResourceName: prefix}
}

// listParts permits completing a multipart upload without the sender's ETags.
func listParts(prefix string) Grant {
	return Grant{Actions: []Action{"s3:ListMultipartUploadParts"}, Resource: OnBucket, ResourceName: prefix}
}

func deleteObjects(prefix string) Grant {
	return Grant{Actions: []Action{"s3:DeleteObject"}, Resource: OnBucket, ResourceName: prefix}
}

// listBucket lets functions distinguish a missing object from a forbidden one.
func listBucket() Grant {
	return Grant{Actions: []Action{"s3:ListBucket"}, Resource: OnBucket}
}

// readTags and writeTags permit copying an object with its tags: S3 refuses to copy a tagged
// object without them.
func readTags(prefix string) Grant {
	return Grant{Actions: []Action{"s3:GetObjectTagging"}, Resource: OnBucket, ResourceName: prefix}
}

func writeTags(prefix string) Grant {
	return Grant{Actions: []Action{"s3:PutObjectTagging"}, Resource: OnBucket, ResourceName: prefix}
}

// tableGrant permits operations on the task tokens and idempotency keys.
func tableGrant(operations ...Action) Grant {
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

func sendWebhooks() Grant {
	return Grant{Actions: []Action{"sqs:SendMessage"}, Resource: OnQueue, ResourceName: WebhooksQueue}
}

func sendMessages(queue string) Grant {
	return Grant{Actions: []Action{"sqs:SendMessage"}, Resource: OnQueue, ResourceName: queue}
}

// changeVisibility permits returning a failed message to its queue early.
func changeVisibility(queue string) Grant {
	return Grant{Actions: []Action{"sqs:ChangeMessageVisibility"}, Resource: OnQueue, ResourceName: queue}
}

func receiveMessages(queue string) Grant {
	return Grant{Actions: []Action{"sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"}, Resource: OnQueue, ResourceName: queue}
}
