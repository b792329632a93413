"""The documents of the API. Generated from shared/httpapi/openapi.yaml by make python-types: do not edit."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

class _ElsewhereRequired(TypedDict):
    url: str
    expires_in: int


class Elsewhere(_ElsewhereRequired, total=False):
    "The address of a file that is too large for a response of this API."

    detail: str


class Erasure(TypedDict):
    complete: bool
    erasedChanges: int
    openImports: int


class Refusal(TypedDict):
    "An error response of the gateway."

    message: str


Name = str

class _NewOrganisationRequired(TypedDict):
    name: Name


class NewOrganisation(_NewOrganisationRequired, total=False):
    id: None | int
    quotas: OwnQuotas


class OwnQuotas(TypedDict, total=False):
    "The limits of one organisation for shared resources, as listed by `GET /api/quotas`. Null for the default limit."

    openImports: None | int
    announcedBytes: None | int
    openExports: None | int
    streams: None | int
    requestsPerMinute: None | int


class StateCount(TypedDict):
    status: Status
    count: int
    oldestAt: str


class ExportStateCount(TypedDict):
    status: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]
    count: int
    oldestAt: str


class OverviewFailuresItem(TypedDict):
    code: str
    count: int


class Overview(TypedDict):
    imports: list[StateCount]
    exports: list[ExportStateCount]
    stuckImports: int
    stuckExports: int
    openErasures: int
    rowsPerSecond: float
    rows: int
    errorRows: int
    failures: list[OverviewFailuresItem]
    stuckAfterSeconds: int
    executionsUrl: None | str
    dashboardUrl: None | str


Stuck = Union[Literal["NO_PROGRESS", "OVERDUE", "EXECUTION_ENDED"], None]

class OverseenImport(TypedDict):
    identifier: str
    organisationId: int
    importType: str
    purpose: Literal["IMPORT", "PLAN", "UNDO"]
    status: Status
    createdAt: str
    updatedAt: str
    completedAt: None | str
    totalRows: int
    processedRows: int
    errorCount: int
    chunksDone: int
    chunkTotal: int
    failureCode: None | str
    stuck: Stuck
    execution: None | str
    executionUrl: None | str


class OverseenExport(TypedDict):
    id: str
    organisationId: int
    importType: str
    format: str
    status: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]
    recordCount: int
    createdAt: str
    updatedAt: str
    completedAt: None | str
    requeues: int
    failureCode: None | str
    stuck: Stuck


class OpenErasure(TypedDict):
    organisationId: int
    personId: int
    erasedChanges: int
    beganAt: str


class Brought(TypedDict):
    chunks: int
    message: bool
    reminded: bool


class Cancelled(TypedDict):
    id: str
    organisationId: int
    status: str


class QueueDepth(TypedDict):
    waiting: int
    inFlight: int
    delayed: int


class QueueState(TypedDict):
    name: Literal["rows", "exports", "fetches", "webhooks", "events"]
    work: None | QueueDepth
    deadLetters: QueueDepth
    oldestAt: None | str


class DeadLetter(TypedDict):
    id: str
    sentAt: str
    receives: int
    organisationId: None | int
    identifier: None | str
    chunk: None | int
    exportId: None | str
    eventId: None | str
    objectKey: None | str
    redrivable: bool


class _OrganisationRequired(TypedDict):
    id: int
    name: str
    active: bool
    createdAt: str
    updatedAt: str
    quotas: OwnQuotas
    mailDomains: list[str]
    unconfirmedMailDomains: UnconfirmedDomains


class Organisation(_OrganisationRequired, total=False):
    deactivatedAt: str
    wholeTables: bool


class WholeTables(TypedDict):
    wholeTables: bool


class ConfirmedDomains(TypedDict):
    mailDomains: list[str]


UnconfirmedDomains = Union["list[str]"]

class NewPeriod(TypedDict):
    name: Name
    startsOn: str
    endsOn: str


class Period(TypedDict):
    id: int
    name: str
    startsOn: str
    endsOn: str


class NewMembershipType(TypedDict):
    name: Name


class MembershipType(TypedDict):
    id: int
    name: str


class _NewEventRequired(TypedDict):
    name: Name


class NewEvent(_NewEventRequired, total=False):
    startsOn: str


class _EventRequired(TypedDict):
    id: int
    name: str


class Event(_EventRequired, total=False):
    startsOn: str


class NewEventCategory(TypedDict):
    name: Name


class EventCategory(TypedDict):
    id: int
    name: str


Status = Literal["UPLOADED", "COLUMN_MAPPING", "CELL_MAPPING", "PROCESSING", "AWAITING_APPROVAL", "COMPLETED", "FAILED", "CANCELLED"]

Mode = Literal["insert", "upsert", "update"]

Outcome = Literal["CREATED", "UPDATED", "UNCHANGED", "SKIPPED", "ERROR", "UNDONE", "KEPT_LATER_EDIT", "KEPT_REFERENCED", "KEPT_KEY_TAKEN"]

UndoMode = Literal["safe", "cascade", "force"]

MappingStatus = Literal["AUTO_MATCHED", "MANUAL_MATCHED", "UNRESOLVED", "IGNORED"]

class ProblemErrorsItem(TypedDict):
    field: str
    code: str
    message: str


class Problem(TypedDict):
    type: str
    title: str
    status: int
    detail: str
    instance: str
    code: str
    errors: list[ProblemErrorsItem]
    requestId: str


class _ApiKeyRequired(TypedDict):
    id: str
    name: str
    scopes: list[str]
    createdBy: None | str
    createdAt: str
    rotatedAt: None | str
    previousUntil: None | str
    expiresAt: str
    lastUsedAt: None | str
    revokedAt: None | str
    revokedBy: None | str


class ApiKey(_ApiKeyRequired, total=False):
    key: str


class ProblemDescription(TypedDict):
    type: str
    title: str
    status: int
    code: str
    cause: str
    remedy: str


class GatewayError(TypedDict):
    "An error response of API Gateway, sent without calling the service."

    message: str


class ParticipantsResultCategoriesItem(TypedDict):
    name: str
    participants: int


class _ParticipantsResultRequired(TypedDict):
    undone: bool
    undoneBy: TakenBack
    fileLines: int
    blankLines: int
    headerRows: int
    totalRows: int
    created: int
    updated: int
    unchanged: int
    skipped: int
    errors: int
    issues: Issues
    issuesTruncated: bool
    categories: list[ParticipantsResultCategoriesItem]
    customListsCreated: int
    customValuesCreated: list[int]


class ParticipantsResult(_ParticipantsResultRequired, total=False):
    categoriesTruncated: bool


class _ResultsResultSummaryRequired(TypedDict):
    totalRows: int
    created: int
    updated: int
    skipped: int
    errors: int
    issueCount: int
    numberChangeCount: int
    numberChangesSimple: int
    numberChangesApplied: int


class ResultsResultSummary(_ResultsResultSummaryRequired, total=False):
    unchanged: int
    kept: int
    removed: int
    recalculated: int
    unmatchedCategoryCount: int


class _ResultsResultCategoriesItemRequired(TypedDict):
    name: str
    created: int
    updated: int


class ResultsResultCategoriesItem(_ResultsResultCategoriesItemRequired, total=False):
    unchanged: int
    kept: int
    removed: int
    recalculated: int
    elsewhere: int
    results: int
    pointsRemoved: int
    winnerWithoutTime: bool


ResultsResultNumberChangesItem = TypedDict("ResultsResultNumberChangesItem", {"rowNumber": "int", "participantId": "int", "from": "str", "to": "str", "kind": "Literal[\"SIMPLE\", \"CONFLICT\"]", "applied": "bool"})

class ResultsResultUnmatchedCategoriesItem(TypedDict):
    name: str
    rows: int


class ResultsResultReconciliation(TypedDict):
    "fileLines is the total of successCount, skippedCount, errorCount, blankLines and headerRows."

    fileLines: int
    successCount: int
    skippedCount: int
    blankLines: int
    headerRows: int
    errorCount: int


class _ResultsResultRequired(TypedDict):
    undone: bool
    undoneBy: TakenBack
    summary: ResultsResultSummary
    categories: list[ResultsResultCategoriesItem]
    numberChanges: list[ResultsResultNumberChangesItem]
    unmatchedCategories: list[ResultsResultUnmatchedCategoriesItem]
    reconciliation: ResultsResultReconciliation
    issues: Issues
    issuesTruncated: bool


class ResultsResult(_ResultsResultRequired, total=False):
    categoriesTruncated: bool
    numberChangesTruncated: bool
    unmatchedCategoriesTruncated: bool


class OrderBatchFailure(TypedDict):
    code: str
    message: str


class OrderBatch(TypedDict):
    batchId: str
    jobIdentifier: str
    uploader: str
    originalFilename: str
    fileChecksum: None | str
    uploadedAt: str
    processingDurationMs: None | int
    totalRows: None | int
    createdCount: int
    failedCount: int
    skippedDuplicateCount: int
    status: Literal["PROCESSING", "COMPLETED", "FAILED"]
    waitingFor: Literal["FILE", "COLUMN_MAPPINGS", "CELL_MAPPINGS", "APPROVAL"] | None
    failure: None | OrderBatchFailure
    warnings: list[str]
    warningTexts: list[str]
    undone: bool
    undoneBy: TakenBack
    updatedAt: str


OrderRowStatus = Literal["CREATED", "FAILED_VALIDATION", "SKIPPED_DUPLICATE"]

class OrderRowErrorMessagesItem(TypedDict):
    code: str
    field: str
    message: str


class OrderRow(TypedDict):
    rowIndex: int
    rowNumber: int
    status: OrderRowStatus
    idempotencyKey: None | str
    idempotencyBasis: Literal["CLIENT_REFERENCE", "HASH"] | None
    orderId: None | str
    duplicateOf: None | str
    errorMessages: list[OrderRowErrorMessagesItem]
    message: None | str


class Quota(TypedDict):
    limit: int
    used: int


class Quarantined(TypedDict):
    id: str
    filename: str
    objectKey: str
    keptKey: str
    sizeBytes: int
    code: str
    message: str
    errors: list[dict[str, Any]]
    quarantinedAt: str


class SettingsPatch(TypedDict, total=False):
    review: ReviewSetting
    mode: ModeSetting
    dateOrder: DateOrderSetting
    decimalMark: DecimalMarkSetting
    encoding: None | str
    timeZone: None | str
    maxErrors: MaxErrors
    strict: Strict
    mailDomains: MailDomains
    undoDays: UndoDays
    approval: ApprovalSetting
    guards: GuardsSetting


class Settings(TypedDict):
    review: ReviewSetting
    mode: ModeSetting
    dateOrder: DateOrderSetting
    decimalMark: DecimalMarkSetting
    encoding: None | str
    timeZone: None | str
    maxErrors: MaxErrors
    strict: Strict
    mailDomains: MailDomains
    unconfirmedMailDomains: UnconfirmedDomains
    undoDays: UndoDays
    approval: ApprovalSetting
    guards: GuardsSetting
    updatedAt: None | str
    updatedBy: None | str
    quotas: Quotas


MailDomains = Union[None, "list[str]"]

UndoDays = Union[None, int]

ApprovalSetting = Union[Literal["any", "other"], None]

GuardsSetting = Union["Guards", None]

ReviewSetting = Union[Literal["always", "unsure", "never"], None]

ModeSetting = Union[Literal["insert", "upsert", "update"], None]

DateOrderSetting = Union[Literal["dmy", "mdy", "ymd"], None]

DecimalMarkSetting = Union[Literal[".", ","], None]

class Assumptions(TypedDict, total=False):
    "How to read the file if neither the options nor the file determine it. Omitted values are taken from the organisation's settings."

    dateOrder: DateOrder
    decimalMark: DecimalMark
    encoding: Encoding
    timeZone: str


class Quotas(TypedDict):
    openImports: Quota
    announcedBytes: Quota
    openExports: Quota
    streams: Quota
    requestsPerMinute: Quota


class AuthClaims(TypedDict):
    "The token claims that this API reads."

    organisation: str
    scopes: str


class Auth(TypedDict):
    required: bool
    issuer: None | str
    clientId: None | str
    commandClientId: None | str
    audience: None | str
    scopes: list[str]
    claims: AuthClaims


class Health(TypedDict):
    status: Literal["UP", "DOWN"]
    version: str
    parts: dict[str, Literal["UP", "DOWN"]]
    checkedAt: str


class ImportTypeContext(TypedDict):
    "The meaning of contextId. Null if the type has no context."

    param: str
    title: str


class ImportTypeOptionsItem(TypedDict):
    name: str
    title: str
    values: list[str]


class _ImportTypeRequired(TypedDict):
    name: str
    resource: str
    title: str
    wholeFile: bool
    modes: list[Mode]
    context: ImportTypeContext | None
    options: list[ImportTypeOptionsItem]
    fields: list[Field]


class ImportType(_ImportTypeRequired, total=False):
    version: int
    subjects: list[str]
    rules: list[Rule]


class Rule(TypedDict):
    kind: Literal["anyOf", "inOrder"]
    fields: list[str]
    field: str
    message: str


class _WebhookRequired(TypedDict):
    url: str
    enabled: bool
    createdAt: str
    updatedAt: str


class Webhook(_WebhookRequired, total=False):
    secret: str
    previousSecretUntil: str
    disabledAt: str


class WebhookMessage(TypedDict):
    "A message as the webhook is sent it, with its id."

    eventId: str
    type: Literal["import.completed", "import.failed", "import.cancelled", "import.waiting"]
    timestamp: str
    data: dict[str, Any]


class WebhookDelivery(TypedDict):
    eventId: str
    jobId: None | str
    exportId: None | str
    type: Literal["import.completed", "import.failed", "import.cancelled", "import.waiting", "export.completed", "export.failed", "webhook.test"]
    status: Literal["PENDING", "DELIVERED", "FAILED"]
    attempts: int
    httpStatus: None | int
    fault: None | str
    createdAt: str
    nextAttemptAt: None | str
    endedAt: None | str


class UsedProfileObject(TypedDict):
    "The version of the profile that is used to read the file. The warnings list the decisions of the profile and the parts of it that do not match the file. Null if no profile is used."

    id: None | str
    name: str
    version: int
    chosenBy: Literal["NAME", "DROP_FOLDER", "FINGERPRINT"]


UsedProfile = Union[None, "UsedProfileObject"]

class ProfileOffer(TypedDict):
    id: str
    name: str
    score: float


class _PastAnswerRequired(TypedDict):
    imports: list[str]


class PastAnswer(_PastAnswerRequired, total=False):
    "What people answered about the header or value in the last imports of the type: exactly one of targetField, targetEntityId, targetValue, empty and ignore. It is only a suggestion."

    targetField: str
    targetEntityId: int
    targetValue: str
    empty: bool
    ignore: bool


class PastAnswers(TypedDict):
    "A header or a value, with what people answered about it."

    id: str
    importType: str
    field: None | str
    text: str
    isSuggested: bool
    answers: list[DatedAnswer]


class _DatedAnswerRequired(TypedDict):
    importId: str
    answeredAt: str


class DatedAnswer(_DatedAnswerRequired, total=False):
    "The answer of an import: exactly one of targetField, targetEntityId, targetValue, empty and ignore."

    targetField: str
    targetEntityId: int
    targetValue: str
    empty: bool
    ignore: bool


class ProfileVersion(TypedDict):
    "A version of a profile."

    version: int
    name: str
    auto: bool
    headers: list[str]
    savedFrom: None | str
    savedBy: None | str
    savedAt: str
    strict: Strict


class ProfileVersionDocument(TypedDict):
    "A version of a profile with its mapping."

    version: int
    name: str
    auto: bool
    headers: list[str]
    savedFrom: None | str
    savedBy: None | str
    savedAt: str
    strict: Strict
    mapping: Mapping


class ProfileSummary(TypedDict):
    "A profile in its current version."

    id: str
    importType: str
    createdAt: str
    version: int
    name: str
    auto: bool
    headers: list[str]
    savedFrom: None | str
    savedBy: None | str
    savedAt: str
    strict: Strict


class DeclaredTypeSummary(TypedDict):
    "A version of a declared type, without its declaration."

    name: str
    title: str
    table: str
    version: int
    savedAt: str
    savedBy: None | str
    createdAt: str
    retiredAt: None | str


class DeclaredType(TypedDict):
    "A version of a declared type."

    name: str
    title: str
    table: str
    version: int
    savedAt: str
    savedBy: None | str
    createdAt: str
    retiredAt: None | str
    fingerprint: str
    declaration: Declaration


class _NewTableGrantRequired(TypedDict):
    table: str
    tenant: TableTenant


class NewTableGrant(_NewTableGrantRequired, total=False):
    "Either organisations or everyOrganisation is required."

    organisations: list[int]
    everyOrganisation: bool
    modes: list[Literal["insert", "upsert", "update"]]
    referenceOnly: bool


class TableTenant(TypedDict, total=False):
    "The rows that belong to an organisation, as in declarations: `none` for all rows of the table, or a column with its value, or settings of the session that the policies of the table read. The value `organisation` is the id of the organisation."

    none: bool
    column: str
    value: str
    session: dict[str, str]


class TableGrant(TypedDict):
    "A table for which organisations may declare types."

    id: str
    organisations: list[int]
    everyOrganisation: bool
    table: str
    tenant: TableTenant
    modes: list[str]
    referenceOnly: bool
    grantedBy: None | str
    grantedAt: str


class TableVerdict(TypedDict):
    "A table of the database, and whether a type can be declared for it."

    table: str
    comment: None | str
    rows: None | int
    adoptable: bool
    reason: None | str


class TypeFinding(TypedDict):
    severity: Literal["mustDecide", "error", "warning"]
    path: str
    message: str


class TypeDraft(TypedDict):
    "A draft of a declaration."

    declaration: Declaration
    yaml: str
    findings: list[TypeFinding]
    grants: list[str]
    optional: list[str]


class TypeCheck(TypedDict):
    "Whether imports of a type would work."

    ok: bool
    findings: list[TypeFinding]
    grants: list[str]
    optional: list[str]
    rehearsedRows: int
    derived: list[str]


class TypeDriftDifferencesItem(TypedDict):
    category: Literal["columnAdded", "columnRequired", "columnGone", "typeChanged", "keyChanged", "checkChanged", "tableGone"]
    column: None | str
    name: None | str
    reaction: Literal["hold", "tell", "ignore"]
    message: str


class TypeDrift(TypedDict):
    "How the table of a type differs from the adopted one."

    version: int
    adoptedFingerprint: str
    currentFingerprint: None | str
    differences: list[TypeDriftDifferencesItem]


class _DeclarationRequired(TypedDict):
    loadbay: str
    name: str
    title: str
    target: dict[str, Any]
    tenant: dict[str, Any]
    identity: list[str]
    fields: list[dict[str, Any]]


class Declaration(_DeclarationRequired, total=False):
    "A declaration. Its JSON Schema is `GET /api/types/schema`."

    keys: list[dict[str, Any]]
    subjects: list[str]
    modes: list[Literal["insert", "upsert", "update"]]
    rules: list[dict[str, Any]]
    person: dict[str, Any]
    deleted: dict[str, Any]
    touched: list[str]
    messages: dict[str, str]
    capture: str
    onDrift: dict[str, Any]


class Profile(TypedDict):
    "A profile in its current version, with its mapping."

    id: str
    importType: str
    createdAt: str
    version: int
    name: str
    auto: bool
    headers: list[str]
    savedFrom: None | str
    savedBy: None | str
    savedAt: str
    strict: Strict
    mapping: Mapping
    notify: ProfileNotify


ProfileNotify = Union["list[str]"]

class FieldSynonymsItem(TypedDict):
    word: str
    value: str


class _FieldRequired(TypedDict):
    name: str
    column: str
    title: str
    kind: Literal["text", "email", "enum", "uuid", "integer", "decimal", "boolean", "date", "timestamp", "reference", "list"]
    isRequired: bool
    aliases: list[str]


class Field(_FieldRequired, total=False):
    maxLength: int
    values: list[str]
    isMappable: bool
    canCreate: bool
    pattern: str
    form: str
    minimum: str
    maximum: str
    unit: str
    decimals: int
    isPast: bool
    isIdentifying: bool
    allowedPlaceholders: list[str]
    withoutValue: str
    hasExactDigits: bool
    synonyms: list[FieldSynonymsItem]
    content: Literal["phone", "country"]


Encoding = str

class Options(TypedDict, total=False):
    "The caller's information about the file. Omitted options are detected automatically."

    format: Literal["csv", "ndjson", "xlsx", "xls"]
    encoding: Encoding
    delimiter: str
    quote: str
    headerRow: HeaderRow
    headerRows: HeaderRows
    skipFooterRows: SkipFooterRows
    sheetIndex: int
    sheetName: str
    dateOrder: DateOrder
    decimalMark: DecimalMark
    columns: ColumnsOption
    assume: Assumptions
    createCustom1: FlagOption
    createCustom2: FlagOption
    createCustom3: FlagOption
    participantIdMode: ParticipantIDMode
    applyNumberChanges: FlagOption
    pointsCalculator: PointsCalculator
    complete: FlagOption


class SourceChange(TypedDict, total=False):
    "Options of the file. Omitted options keep their value; null restores automatic detection."

    format: Literal["csv", "ndjson", "xlsx", "xls"] | None
    encoding: Encoding | None
    delimiter: None | str
    quote: None | str
    headerRow: HeaderRow | None
    headerRows: HeaderRows | None
    skipFooterRows: None | SkipFooterRows
    sheetIndex: None | int
    sheetName: None | str
    dateOrder: DateOrder | None
    decimalMark: DecimalMark | None
    columns: ColumnsOption | None


HeaderRow = int

HeaderRows = int

SkipFooterRows = int

class _ColumnsOptionItemRequired(TypedDict):
    column: str


class ColumnsOptionItem(_ColumnsOptionItemRequired, total=False):
    dateOrder: DateOrder
    decimalMark: DecimalMark


ColumnsOption = Union["list[ColumnsOptionItem]"]

class PreviewColumnsItem(TypedDict):
    columnIndex: int
    sourceHeader: str
    targetField: None | str
    dateOrder: ColumnReading
    decimalMark: ColumnReading


class PreviewSheetsItem(TypedDict):
    index: int
    name: str
    hidden: bool
    rows: int
    rowsExact: bool
    columns: int
    looksLikeData: bool
    shown: bool


class Preview(TypedDict):
    options: Options
    detected: Detected
    encodingEvidence: Literal["MARK", "STATED", "DETECTED", "UNSURE"] | None
    columns: list[PreviewColumnsItem]
    sheets: list[PreviewSheetsItem]
    rows: list[PreviewRow]
    moreRows: bool
    lastRows: None | list[PreviewRow]


class _PreviewRowCellsItemRequired(TypedDict):
    text: str
    kind: Literal["EMPTY", "TEXT", "NUMBER", "BOOLEAN", "DATE", "JSON", "ERROR", "FORMULA"]


class PreviewRowCellsItem(_PreviewRowCellsItemRequired, total=False):
    cut: bool


class PreviewRow(TypedDict):
    number: int
    part: Literal["ABOVE", "HEADER", "DATA", "FOOTER"]
    cells: list[PreviewRowCellsItem]


DateOrder = Literal["dmy", "mdy", "ymd"]

DecimalMark = Literal[".", ","]

ParticipantIDMode = Literal["epid", "regid", "pid"]

PointsCalculator = str

class _PointsCalculatorDefinitionRequired(TypedDict):
    code: str


class PointsCalculatorDefinition(_PointsCalculatorDefinitionRequired, total=False):
    "Requires either table or percent."

    className: str
    about: str
    table: list[int]
    percent: bool
    decimals: int


class PointsCalculators(TypedDict):
    builtIn: list[PointsCalculatorDefinition]
    calculators: list[PointsCalculatorDefinition]


FlagOption = Union[Literal["true", "false"], bool]

class _DetectedObjectRequired(TypedDict):
    format: Literal["csv", "ndjson", "xlsx", "xls"]
    headerRow: int
    header: None | list[str]


class DetectedObject(_DetectedObjectRequired, total=False):
    "The detected or stated format of the file. Null until the file is analysed. Every value can be set in the options."

    encoding: str
    bom: int
    delimiter: str
    quote: str
    lineEnd: str
    sheetName: str
    sheetIndex: int
    headerRows: int
    footerRow: int
    dataOffset: int
    rowCells: int
    nested: bool
    date1904: bool
    dateOrder: DateOrder
    decimalMark: DecimalMark
    assumed: Assumptions
    warnings: list[str]


Detected = Union["DetectedObject", None]

class _CreationRequired(TypedDict):
    importType: str
    filename: str
    sizeBytes: int


class Creation(_CreationRequired, total=False):
    contextId: None | int
    organisationId: None | int
    contentType: str
    sha256: str
    mode: Mode
    options: Options
    autoStart: bool
    skipMappingPhases: bool
    review: Review
    dryRun: bool
    plan: bool
    approval: Approval
    guards: Guards
    label: Label
    maxErrors: MaxErrors
    strict: Strict
    notify: Notify
    retryOf: RetryOf
    mapping: Mapping
    profile: ProfileName


Review = Literal["always", "unsure", "never"]

RetryOf = str

ProfileName = str

class _CreationFormRequired(TypedDict):
    file: str
    importType: str


class CreationForm(_CreationFormRequired, total=False):
    contextId: int
    organisationId: int
    sha256: str
    mode: Mode
    options: str
    autoStart: bool
    skipMappingPhases: bool
    review: Review
    dryRun: bool
    plan: bool
    approval: Approval
    guards: str
    label: Label
    maxErrors: MaxErrors
    strict: Strict
    notify: str
    retryOf: RetryOf
    mapping: str
    profile: ProfileName


class FailureObject(TypedDict):
    code: str
    message: str


Failure = Union["FailureObject", None]

class ImportSummary(TypedDict):
    "An import in a list. The properties are those of ImportJob."

    identifier: str
    importType: str
    contextId: None | int
    label: None | str
    uploader: None | str
    status: Status
    phase: str
    waitingFor: None | str
    mode: Mode
    dryRun: bool
    originalFilename: str
    sizeBytes: int
    totalRows: int
    processedRows: int
    createdCount: int
    updatedCount: int
    successCount: int
    unchangedCount: int
    skippedCount: int
    errorCount: int
    openErrors: int
    deferredCount: int
    progressPercent: int
    rowsPerSecond: None | float
    etaSeconds: None | int
    retryOf: None | str
    undoOf: None | str
    undone: bool
    undoneBy: TakenBack
    batchId: None | str
    createdAt: str
    updatedAt: str
    completedAt: None | str
    failure: Failure


MaxErrors = Union[None, int, str]

Strict = Union[None, bool]

Label = str

Notify = Union["list[str]"]

class UndoRetriesVariant1(TypedDict):
    included: bool
    count: int
    changes: int
    identifiers: list[str]


UndoRetries = Union[None, "UndoRetriesVariant1"]

class TakenBackVariant1(TypedDict):
    identifier: str
    whole: bool


TakenBack = Union[None, "TakenBackVariant1"]

class _ImportJobRequired(TypedDict):
    identifier: str
    importType: str
    contextId: None | int
    status: Status
    phase: Literal["RECEIVING", "ANALYSING", "ASK_COLUMNS", "LOOKING_UP", "ASK_VALUES", "CUTTING", "REHEARSING", "ASK_APPROVAL", "WRITING", "FINISHING", "ENDED"]
    rowsPerSecond: None | float
    etaSeconds: None | int
    bytesRead: None | int
    bytesTotal: None | int
    waitingFor: Literal["FILE", "COLUMN_MAPPINGS", "CELL_MAPPINGS", "APPROVAL"] | None
    mode: Mode
    autoStart: bool
    skipMappingPhases: bool
    review: Review
    dryRun: bool
    plan: ImportPlan
    label: None | str
    uploader: None | str
    maxErrors: MaxErrors
    strict: Strict
    notify: Notify
    originalFilename: str
    contentType: str
    sizeBytes: int
    sha256: None | str
    options: Options
    detected: Detected
    totalRows: int
    processedRows: int
    createdCount: int
    updatedCount: int
    successCount: int
    unchangedCount: int
    skippedCount: int
    errorCount: int
    deferredCount: int
    fileLines: None | int
    blankLines: None | int
    headerRows: None | int
    progressPercent: int
    issueCount: None | int
    numberChangeCount: None | int
    warnings: list[str]
    warningTexts: list[str]
    retryOf: None | str
    undoOf: None | str
    undoMode: Literal["safe", "cascade", "force"] | None
    undoRetries: UndoRetries
    undone: bool
    undoneBy: TakenBack
    openErrors: int
    retries: list[ImportRetry]
    profile: UsedProfile
    batchId: None | str
    createdAt: str
    uploadedAt: None | str
    startedAt: None | str
    completedAt: None | str
    undoUntil: None | str
    undoable: bool
    notUndoable: Literal["NOT_ENDED", "DRY_RUN", "NEVER_STARTED", "NOT_APPLIED", "NOT_KEPT", "EXPIRED"] | None
    failure: Failure


class ImportJob(_ImportJobRequired, total=False):
    waitingForDatabaseSince: str
    upload: PartsUpload | Upload
    profileOffers: list[ProfileOffer]
    freeFields: list[Field]
    columnMappings: list[ColumnMapping]
    cellMappings: list[CellMapping]
    moreColumnMappings: bool
    moreCellMappings: bool


class _ApplicationRequired(TypedDict):
    digest: str


class Application(_ApplicationRequired, total=False):
    onStale: OnStale


OnStale = Literal["skip", "abort", "overwrite"]

Approval = Literal["any", "other"]

class Guards(TypedDict, total=False):
    "Limits for the changes that an import can make without approval, as a number of rows or a share of all its rows. The import first prepares a plan. If the plan is within all limits, it is written immediately; otherwise the import is AWAITING_APPROVAL. Guards of the organisation take precedence over guards in a request. A deleted entity counts as created and as updated. Imports of entries and results, which are processed as a whole, are FAILED with TOO_MANY_ROWS if they have more than 20,000 rows to write."

    created: Guard
    updated: Guard
    fields: dict[str, Guard]


Guard = Union[int, str]

class ImportPlanObject(TypedDict):
    "How the import is planned before it is written. Null for an import without a plan."

    asked: bool
    approval: Approval
    guards: Guards | None
    digest: None | str
    onStale: Literal["skip", "abort", "overwrite"] | None
    appliedAt: None | str
    appliedBy: None | str


ImportPlan = Union["ImportPlanObject", None]

class Upload(TypedDict):
    "Upload the file to this address with exactly these headers, because they are part of the signature. One of them is `If-None-Match: *`, which prevents an uploaded file from being replaced: 412 means that a file already exists. Repeating the request returns a new address."

    method: str
    url: str
    headers: dict[str, str]
    expiresAt: str


class PendingUpload(TypedDict):
    sizeBytes: int
    arrivedBytes: int
    arrivedParts: list[int]
    upload: PartsUpload | Upload


class PartsUploadPartsItem(TypedDict):
    partNumber: int
    url: str


class PartsUpload(TypedDict):
    "For files larger than 100 MB. PUT each part to its address, in any order and in parallel. All parts except the last have partSizeBytes bytes. Then POST to completeUrl."

    uploadId: str
    partSizeBytes: int
    parts: list[PartsUploadPartsItem]
    completeUrl: str
    expiresAt: str


class ColumnMappingCandidatesItem(TypedDict):
    field: str
    score: float
    reason: Literal["exact", "alias", "similar", "content", "pastAnswers"]


class ColumnMappingUnit(TypedDict):
    "The unit of the field (or, without a field, of the first one that the header could mean), the unit that the header names, or null, and the step that converts the values, if the units differ and can be converted. Different units without a step are UNIT_MISMATCH: an import asks, or fails if it asks nobody."

    field: str
    expected: str
    found: None | str
    convert: None | Transform


_ColumnMappingRequired = TypedDict("_ColumnMappingRequired", {"id": "int", "columnIndex": "int", "sourceHeader": "str", "targetField": "None | str", "status": "MappingStatus", "confidenceScore": "float", "isRequired": "bool", "confirmed": "bool", "samples": "list[str]", "matchedBy": "Literal[\"exact\", \"alias\", \"similar\", \"content\", \"profile\", \"mapping\", \"person\"] | None", "fillRate": "None | float", "distinctCount": "None | int", "distinctAtLeast": "bool", "kind": "Literal[\"uuid\", \"email\", \"url\", \"timestamp\", \"date\", \"phone\", \"postalCode\", \"country\", \"integer\", \"decimal\", \"boolean\", \"text\"] | None", "kindShare": "None | float", "candidates": "list[ColumnMappingCandidatesItem]", "warnings": "list[Literal[\"COLUMN_CONTENT\"]]", "dateOrder": "ColumnReading", "decimalMark": "ColumnReading", "from": "list[str]", "separator": "None | str", "constant": "None | str", "transforms": "list[Transform]", "feeds": "list[str]"})

_ColumnMappingOptional = TypedDict("_ColumnMappingOptional", {"pastAnswer": "PastAnswer", "unit": "ColumnMappingUnit | None"}, total=False)


class ColumnMapping(_ColumnMappingRequired, _ColumnMappingOptional):
    pass


class Mapping(TypedDict, total=False):
    "The column mapping, value mappings and reading options of a file. docs/mapping.md contains the full reference. 422 MAPPING_INVALID identifies each invalid part by its path, for example fields[2].transforms."

    source: SourceOptions
    fields: list[MappingField]
    ignore: list[str]
    values: list[MappingValue]
    defaults: list[MappingDefault]


class _SourceOptionsColumnsItemRequired(TypedDict):
    column: str


class SourceOptionsColumnsItem(_SourceOptionsColumnsItemRequired, total=False):
    dateOrder: DateOrder
    decimalMark: DecimalMark


class SourceOptions(TypedDict, total=False):
    "Options of the file, as in Options without the options of an import type. Options in the import request take precedence."

    format: Literal["csv", "ndjson", "xlsx", "xls"]
    encoding: Encoding
    delimiter: str
    quote: str
    headerRow: int
    headerRows: int
    skipFooterRows: int
    sheetIndex: int
    sheetName: str
    dateOrder: DateOrder
    decimalMark: DecimalMark
    columns: list[SourceOptionsColumnsItem]


_MappingFieldRequired = TypedDict("_MappingFieldRequired", {"field": "str"})

_MappingFieldOptional = TypedDict("_MappingFieldOptional", {"from": "list[str]", "separator": "str", "constant": "str", "transforms": "list[Transform]", "dateOrder": "DateOrder", "decimalMark": "DecimalMark"}, total=False)


class MappingField(_MappingFieldRequired, _MappingFieldOptional):
    pass


class _MappingValueRequired(TypedDict):
    field: str
    value: str


class MappingValue(_MappingValueRequired, total=False):
    "Maps a text of a field, after its transforms. Requires exactly one of to, toId and then."

    to: str
    toId: str
    then: MappingThen


class _MappingDefaultRequired(TypedDict):
    field: str


class MappingDefault(_MappingDefaultRequired, total=False):
    to: str
    toId: str
    then: MappingThen


MappingThen = Literal["empty", "skip", "create"]

class _TransformRequired(TypedDict):
    op: Literal["trim", "upper", "lower", "title", "strip", "replace", "extract", "split", "date", "map", "default", "convert"]


class Transform(_TransformRequired, total=False):
    "A step that changes the text of a cell. If the step does not apply to a text, the row has the error CELL_TRANSFORM, unless otherwise is keep or empty. Only map and default process empty texts. Numbers, dates and booleans in workbook cells are not changed if the field has the same kind."

    what: Literal["currency", "unit", "apostrophe"]
    old: str
    new: str
    pattern: str
    group: int
    separator: str
    part: int
    rest: bool
    values: dict[str, str]
    value: str
    unit: str
    otherwise: Literal["", "keep", "empty"]


class MappingPreviewFieldsItem(TypedDict):
    field: str
    faults: int
    dateOrder: ColumnReading
    decimalMark: ColumnReading


class _MappingPreviewRowsItemValuesItemFaultRequired(TypedDict):
    code: str
    message: str


class MappingPreviewRowsItemValuesItemFault(_MappingPreviewRowsItemValuesItemFaultRequired, total=False):
    field: str
    value: str


class MappingPreviewRowsItemValuesItem(TypedDict):
    field: str
    cells: list[str]
    text: str
    value: None | str
    fault: MappingPreviewRowsItemValuesItemFault | None


class _MappingPreviewRowsItemRequired(TypedDict):
    row: int
    values: list[MappingPreviewRowsItemValuesItem]


class MappingPreviewRowsItem(_MappingPreviewRowsItemRequired, total=False):
    code: str


class MappingPreview(TypedDict):
    fields: list[MappingPreviewFieldsItem]
    rows: list[MappingPreviewRowsItem]


class ColumnReadingObjectDecidingByOrder(TypedDict, total=False):
    "For a column that mixes date orders, also after an order was set: the numbers of dates that are only valid in one order."

    dmy: int
    mdy: int
    ymd: int


class _ColumnReadingObjectRequired(TypedDict):
    value: None | str
    evidence: Literal["STATED", "DECIDED", "CONVENTION", "ASSUMED", "AMBIGUOUS", "CONTRADICTORY", "NONE"]
    decidingCells: int
    ambiguousCells: int


class ColumnReadingObject(_ColumnReadingObjectRequired, total=False):
    "How ambiguous texts of a column are read, based on all cells of the column together. It is determined before the first row is processed and applies to all rows. Null if the column needs no such decision."

    decidingByOrder: ColumnReadingObjectDecidingByOrder


ColumnReading = Union["ColumnReadingObject", None]

ColumnAnswer = TypedDict("ColumnAnswer", {"id": "int", "dateOrder": "DateOrder", "decimalMark": "DecimalMark", "confirm": "bool", "targetField": "str", "ignore": "bool", "from": "list[str]", "separator": "str", "constant": "str", "transforms": "list[Transform]"}, total=False)

class CellAnswer(TypedDict, total=False):
    "Requires exactly one of confirm, targetEntityId, targetValue, create, empty and ignore. With targetField instead of id, the decision applies to all unresolved values of that field."

    id: int
    targetField: str
    confirm: bool
    targetEntityId: int
    targetValue: str
    create: bool
    empty: bool
    ignore: bool


class _CellMappingRequired(TypedDict):
    id: int
    targetField: str
    sourceValue: str
    status: MappingStatus
    targetEntityId: None | int
    targetValue: None | str
    create: bool
    empty: bool
    rowCount: int
    firstRow: int
    confirmed: bool
    suggestions: list[Candidate]


class CellMapping(_CellMappingRequired, total=False):
    pastAnswer: PastAnswer


class _CandidateRequired(TypedDict):
    displayName: str


class Candidate(_CandidateRequired, total=False):
    "An entity with its id, or a word of the field as value."

    id: int
    value: str
    score: float


class _FaultRequired(TypedDict):
    code: str
    message: str


class Fault(_FaultRequired, total=False):
    field: str
    value: str


class RowResult(TypedDict):
    id: int
    rowNumber: int
    outcome: Outcome
    message: None | str
    faults: list[Fault]


class ImportRetry(TypedDict):
    identifier: str
    ofRows: bool
    status: Status
    totalRows: int
    successCount: int
    errorCount: int


ChangeKind = Literal["CREATED", "UPDATED", "DELETED"]

class ChangesPart(TypedDict):
    changes: list[Change]
    cursor: None | str
    complete: bool


class _FileBeginningRequired(TypedDict):
    headers: list[str]


class FileBeginning(_FileBeginningRequired, total=False):
    rows: list[list[str]]


class TypeGuessTypesItem(TypedDict):
    importType: str
    title: str
    columns: int
    matched: int
    fields: list[None | str]
    missing: list[str]


class TypeGuess(TypedDict):
    best: None | str
    types: list[TypeGuessTypesItem]


class StaleRowsPart(TypedDict):
    stale: int
    rows: list[StaleRow]
    cursor: None | str
    complete: bool


class StaleRowFieldsItem(TypedDict):
    field: str
    before: None | str
    after: None | str
    now: None | str


class StaleRowChangedBy(TypedDict):
    "The import that wrote the entity after the plan was created. Null if it was no import, if the import is no longer retained, and for declared types."

    identifier: str
    originalFilename: str
    rowNumber: int
    uploader: None | str
    at: None | str


class StaleRow(TypedDict):
    rowNumber: None | int
    reason: Literal["CHANGED", "DELETED", "KEY_TAKEN", "COLUMN_GONE"]
    table: str
    id: str
    fields: list[StaleRowFieldsItem]
    changedBy: None | StaleRowChangedBy


class ChangeFieldsItem(TypedDict):
    field: str
    before: None | str
    after: None | str


class ChangePrevious(TypedDict):
    "The previous writer of the entity. Null if it was not written by an import."

    identifier: None | str
    rowNumber: int


class Change(TypedDict):
    rowNumber: None | int
    kind: ChangeKind
    table: str
    id: str
    fields: list[ChangeFieldsItem]
    previous: ChangePrevious | None


class EntityHistoryEntitiesItem(TypedDict):
    table: str
    id: str
    begins: Literal["MADE", "NOT_IMPORTED", "NOT_KEPT", "TOO_LONG"]
    edited: bool


class EntityHistoryValuesItem(TypedDict):
    table: str
    field: str
    value: None | str
    source: HistorySource | None
    columns: list[str]
    edited: bool


class EntityHistory(TypedDict):
    importType: str
    entities: list[EntityHistoryEntitiesItem]
    values: list[EntityHistoryValuesItem]
    changes: list[HistoryChange]
    cursor: None | str
    complete: bool


class HistorySource(TypedDict):
    identifier: str
    originalFilename: str
    rowNumber: int
    uploader: None | str
    at: str
    undoOf: None | str
    undoneBy: TakenBack


class HistoryChangeFieldsItem(TypedDict):
    field: str
    columns: list[str]
    before: None | str
    after: None | str


class HistoryChange(TypedDict):
    table: str
    kind: Literal["CREATED", "UPDATED"]
    source: HistorySource
    fields: list[HistoryChangeFieldsItem]


class ChangesSummaryTablesItem(TypedDict):
    table: str
    created: int
    updated: int
    deleted: int


class ChangesSummary(TypedDict):
    tables: list[ChangesSummaryTablesItem]
    fields: list[FieldSummary]


class FieldSummaryExamplesItem(TypedDict):
    rowNumber: None | int
    id: str
    before: None | str
    after: None | str


class FieldSummary(TypedDict):
    table: str
    field: str
    changed: int
    filled: int
    emptied: int
    rises: list[NumberStep]
    falls: list[NumberStep]
    examples: list[FieldSummaryExamplesItem]


class NumberStep(TypedDict):
    moreThanPercent: Literal[10, 50, 100]
    count: int


class RowsPart(TypedDict):
    header: list[str]
    rows: list[RowCells]
    cursor: None | str
    complete: bool


class RowCellsRetry(TypedDict):
    "The last retry that has processed the row or is about to."

    identifier: str
    outcome: Literal["CREATED", "UPDATED", "UNCHANGED", "SKIPPED", "ERROR"] | None


class RowCellsValuesItem(TypedDict):
    field: str
    read: str
    typed: None | str
    code: None | str
    corrected: bool


class RowCells(TypedDict):
    rowNumber: int
    outcome: Outcome
    open: bool
    faults: list[Fault]
    retry: None | RowCellsRetry
    cells: list[str]
    values: list[RowCellsValuesItem]


class RowCountsCountsItem(TypedDict):
    outcome: Outcome
    field: str
    code: str
    rows: int


class RowCounts(TypedDict):
    counts: list[RowCountsCountsItem]
    complete: bool
    openErrors: int
    correctedRows: int


class CorrectionRowsItem(TypedDict):
    row: int
    cells: dict[str, None | bool | float | str]


class _CorrectionWhereRequired(TypedDict):
    field: str


class CorrectionWhere(_CorrectionWhereRequired, total=False):
    code: str
    value: None | str


class Correction(TypedDict, total=False):
    rows: list[CorrectionRowsItem]
    where: CorrectionWhere
    transform: list[TransformStep]
    cursor: str


class _TransformStepRequired(TypedDict):
    op: Literal["trim", "upper", "lower", "title", "strip", "replace", "extract", "split", "date", "map", "default", "convert"]


class TransformStep(_TransformStepRequired, total=False):
    "A step that changes the text of a cell. Several steps are applied in order."

    what: Literal["currency", "unit", "apostrophe"]
    old: str
    new: str
    pattern: str
    group: int
    separator: str
    part: int
    rest: bool
    values: dict[str, str]
    value: str
    unit: str
    otherwise: Literal["keep", "empty"]


class CorrectedRowsItemCellsItem(TypedDict):
    field: str
    before: str
    after: str
    typed: None | str
    valid: bool
    code: None | str
    message: None | str


class CorrectedRowsItem(TypedDict):
    rowNumber: int
    cells: list[CorrectedRowsItemCellsItem]
    remaining: list[Fault]


class Corrected(TypedDict):
    preview: bool
    matched: int
    corrected: int
    rows: list[CorrectedRowsItem]
    cursor: None | str
    complete: bool


class Annotated(TypedDict):
    status: Literal["pending", "processing", "completed", "failed", "cancelled"]
    marked: int
    failure: Failure
    location: str


class Summary(TypedDict):
    created: int
    updated: int
    unchanged: int
    skipped: int
    error: int
    validationError: int


class IssuesItem(TypedDict):
    rowNumber: int
    outcome: str
    code: str
    field: str
    value: str
    message: str


Issues = Union["list[IssuesItem]"]

class RowsResult(TypedDict):
    undone: bool
    undoneBy: TakenBack
    identifier: str
    status: Status
    totalRows: None | int
    created: int
    updated: int
    unchanged: int
    skipped: int
    errors: int
    issues: Issues
    issuesTruncated: bool
    failure: Failure
    warnings: list[str]
    warningTexts: list[str]


class _JobV1Required(TypedDict):
    job_id: str
    resource_type: str
    mode: Mode
    status: Literal["pending", "processing", "completed", "completed_with_errors", "failed", "cancelled"]
    original_filename: str
    total_records: int
    processed_records: int
    successful_records: int
    unchanged_records: int
    skipped_records: int
    error_records: int
    progress_percent: int
    warnings: list[str]
    warning_texts: list[str]
    undone: bool
    undone_by: TakenBack
    created_at: str


class JobV1(_JobV1Required, total=False):
    failure_code: str
    failure_reason: str
    started_at: str
    completed_at: str


class _RecordErrorRequired(TypedDict):
    row: int
    field: str
    reason: str
    code: str


class RecordError(_RecordErrorRequired, total=False):
    value: str


class OrganisationDeletion(TypedDict):
    status: Literal["REQUESTED", "CONFIRMED", "COMPLETED"]
    organisationId: int
    name: None | str
    requestedAt: str
    requestedBy: None | str
    needsOtherPerson: bool
    expiresAt: str
    confirmedAt: None | str
    completedAt: None | str
    deletedRows: dict[str, int]
    deletedFiles: int


ExportFileFormat = Literal["csv", "ndjson", "xlsx", "zip"]

ExportFormat = Literal["csv", "ndjson", "xlsx"]

ExportFilters = dict[str, Any]

class ExportCount(TypedDict):
    records: int
    more: bool


class Export(TypedDict):
    identifier: str
    importType: str
    format: ExportFileFormat
    status: Literal["PENDING", "PROCESSING", "COMPLETED", "FAILED", "CANCELLED"]
    filters: ExportFilters
    fields: list[str]
    recordCount: int
    sizeBytes: None | int
    downloadUrl: None | str
    createdAt: str
    startedAt: None | str
    completedAt: None | str
    failure: Failure


class _ExportJobRequired(TypedDict):
    job_id: str
    resource_type: str
    format: ExportFileFormat
    status: Literal["pending", "processing", "completed", "failed", "cancelled"]
    filters: ExportFilters
    fields: list[str]
    record_count: int
    created_at: str


class ExportJob(_ExportJobRequired, total=False):
    size_bytes: int
    download_url: str
    failure_code: str
    failure_reason: str
    started_at: str
    completed_at: str

