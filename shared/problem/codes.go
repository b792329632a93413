package problem

// Code is the stable, machine-readable name of an error.
type Code string

// Errors of a request.
const (
	Internal              Code = "INTERNAL"
	BadRequest            Code = "BAD_REQUEST"
	BadJSON               Code = "BAD_JSON"
	ParameterInvalid      Code = "PARAMETER_INVALID"
	Unauthorized          Code = "UNAUTHORIZED"
	OrgRequired           Code = "ORG_REQUIRED"
	OrgInactive           Code = "ORG_INACTIVE"
	OrgDeleted            Code = "ORG_DELETED" // its deletion is confirmed
	ScopeRequired         Code = "SCOPE_REQUIRED"
	NotFound              Code = "NOT_FOUND"
	MethodNotAllowed      Code = "METHOD_NOT_ALLOWED"
	MappingIncomplete     Code = "MAPPING_INCOMPLETE"
	StillRunning          Code = "STILL_RUNNING"
	StateConflict         Code = "STATE_CONFLICT"
	ExecutionTooOld       Code = "EXECUTION_TOO_OLD"
	UploadMissing         Code = "UPLOAD_MISSING"
	FileRepeated          Code = "FILE_REPEATED"
	EntityExists          Code = "ENTITY_EXISTS"
	EntityInvalid         Code = "ENTITY_INVALID"
	Gone                  Code = "GONE"
	SourceGone            Code = "SOURCE_GONE"
	UndoDone              Code = "UNDO_DONE"        // already undone
	UndoRunning           Code = "UNDO_RUNNING"     // undo in progress
	UndoExpired           Code = "UNDO_EXPIRED"     // its change set was deleted
	UndoNothing           Code = "UNDO_NOTHING"     // without changes
	PreviewRequired       Code = "PREVIEW_REQUIRED" // the undo has not been previewed
	PreviewTooLarge       Code = "PREVIEW_TOO_LARGE"
	FileTooLarge          Code = "FILE_TOO_LARGE"
	BodyTooLarge          Code = "BODY_TOO_LARGE"
	ResponseTooLarge      Code = "RESPONSE_TOO_LARGE"
	MediaTypeInvalid      Code = "MEDIA_TYPE_INVALID"
	FilenameInvalid       Code = "FILENAME_INVALID"
	ImportTypeUnknown     Code = "IMPORT_TYPE_UNKNOWN"
	ContextInvalid        Code = "CONTEXT_INVALID"
	ModeInvalid           Code = "MODE_INVALID"
	OptionInvalid         Code = "OPTION_INVALID"
	MappingInvalid        Code = "MAPPING_INVALID"
	DateOrderRequired     Code = "DATE_ORDER_REQUIRED"
	DecimalMarkRequired   Code = "DECIMAL_MARK_REQUIRED"
	IdempotencyMismatch   Code = "IDEMPOTENCY_MISMATCH"
	IdempotencyInFlight   Code = "IDEMPOTENCY_IN_FLIGHT"
	IdempotencyKeyInvalid Code = "IDEMPOTENCY_KEY_INVALID"
	TooManyRequests       Code = "TOO_MANY_REQUESTS"
	Unavailable           Code = "UNAVAILABLE"
	URLForbidden          Code = "URL_FORBIDDEN"
	URLScheme             Code = "URL_SCHEME"
	FetchTimeout          Code = "FETCH_TIMEOUT"
	FetchFailed           Code = "FETCH_FAILED"
	ExportTooLarge        Code = "EXPORT_TOO_LARGE"
	ExportFailed          Code = "EXPORT_FAILED"
	QuotaOpenImports      Code = "QUOTA_OPEN_IMPORTS"
	QuotaAnnouncedBytes   Code = "QUOTA_ANNOUNCED_BYTES"
	QuotaOpenExports      Code = "QUOTA_OPEN_EXPORTS"
	QuotaStreams          Code = "QUOTA_STREAMS"
	QuotaRequests         Code = "QUOTA_REQUESTS"
	ProfileUnknown        Code = "PROFILE_UNKNOWN"
	VersionChanged        Code = "VERSION_CHANGED"
	VersionRequired       Code = "VERSION_REQUIRED"
	PlanChanged           Code = "PLAN_CHANGED"
	ApprovalByOther       Code = "APPROVAL_BY_OTHER"
	DeclarationInvalid    Code = "DECLARATION_INVALID" // of an import type
	DeclarationTooLarge   Code = "DECLARATION_TOO_LARGE"
	TooManyFields         Code = "TOO_MANY_FIELDS" // of a declared type
	TooManyTypes          Code = "TOO_MANY_TYPES"  // of an organisation
	TooManyKeys           Code = "TOO_MANY_KEYS"   // API keys of an organisation
	TypeRetired           Code = "TYPE_RETIRED"
	TypeNotInstalled      Code = "TYPE_NOT_INSTALLED" // a sample, in an installation without them
	TableNotAdoptable     Code = "TABLE_NOT_ADOPTABLE"
	TableChanged          Code = "TABLE_CHANGED"     // since the type was applied, as its declaration does not allow
	TableNotAllowed       Code = "TABLE_NOT_ALLOWED" // with these rows, by an operator
)

// Errors of a whole file, which fail the job.
const (
	FileEmpty             Code = "FILE_EMPTY"
	UnsupportedFormat     Code = "UNSUPPORTED_FORMAT"
	FileEncrypted         Code = "FILE_ENCRYPTED"
	FileTooCompressed     Code = "FILE_TOO_COMPRESSED"
	FileCorrupt           Code = "FILE_CORRUPT"
	FileUnsafeXML         Code = "FILE_UNSAFE_XML"
	TooManyColumns        Code = "TOO_MANY_COLUMNS"
	TooManyRows           Code = "TOO_MANY_ROWS"
	NoDataSheet           Code = "NO_DATA_SHEET"
	SheetNotFound         Code = "SHEET_NOT_FOUND"
	FieldTooLarge         Code = "FIELD_TOO_LARGE"
	EncodingInvalid       Code = "ENCODING_INVALID"
	RequiredColumnMissing Code = "REQUIRED_COLUMN_MISSING"
	UnitMismatch          Code = "UNIT_MISMATCH"    // the header of a column names another unit than that of its field
	ColumnAmbiguous       Code = "COLUMN_AMBIGUOUS" // several columns match one field equally well; also a warning about a column
	ChecksumMismatch      Code = "CHECKSUM_MISMATCH"
	SizeMismatch          Code = "SIZE_MISMATCH"
	SourceChanged         Code = "SOURCE_CHANGED"
	TimedOut              Code = "TIMED_OUT"
	Stuck                 Code = "STUCK"
	TooManyErrors         Code = "TOO_MANY_ERRORS" // more rows than maxErrors allows; the rest is not imported
	Cancelled             Code = "CANCELLED"       // of a batch, which has no status for it
)

// Errors of one row, which do not affect other rows. IDENTITY_AMBIGUOUS: only the e-mail
// address matches a person, who has another name.
const (
	KeptLaterEdit     Code = "KEPT_LATER_EDIT" // undo: the value has changed since
	KeptReferenced    Code = "KEPT_REFERENCED" // undo: the entity to delete is still referenced
	KeptKeyTaken      Code = "KEPT_KEY_TAKEN"  // undo: another entity has the key to restore
	RowWidth          Code = "ROW_WIDTH"
	RowQuote          Code = "ROW_QUOTE" // a stray quote: text after a closing quote, or an opening quote that is not closed in its row
	RowDuplicate      Code = "ROW_DUPLICATE"
	RowRejected       Code = "ROW_REJECTED"
	RowUndelivered    Code = "ROW_UNDELIVERED"
	ErrorsNotStored   Code = "ERRORS_NOT_STORED" // too many rows of the import, or errors of the row
	PlanStale         Code = "PLAN_STALE"        // also of a whole import if its plan aborts when stale
	CellRequired      Code = "CELL_REQUIRED"
	CellFormula       Code = "CELL_FORMULA"
	CellError         Code = "CELL_ERROR"
	CellDate          Code = "CELL_DATE"
	CellNumber        Code = "CELL_NUMBER"
	CellBoolean       Code = "CELL_BOOLEAN"
	CellEnum          Code = "CELL_ENUM"
	CellEmail         Code = "CELL_EMAIL"
	CellUUID          Code = "CELL_UUID"
	CellRange         Code = "CELL_RANGE"
	CellTooSmall      Code = "CELL_TOO_SMALL"
	CellTooLarge      Code = "CELL_TOO_LARGE"
	CellNUL           Code = "CELL_NUL"
	CellTooLong       Code = "CELL_TOO_LONG"
	CellPattern       Code = "CELL_PATTERN"
	CellList          Code = "CELL_LIST"
	CellNested        Code = "CELL_NESTED"
	CellPrecision     Code = "CELL_PRECISION"
	CellTransform     Code = "CELL_TRANSFORM"
	CellUnresolved    Code = "CELL_UNRESOLVED"
	AlreadyExists     Code = "ALREADY_EXISTS"
	IdentityAmbiguous Code = "IDENTITY_AMBIGUOUS"
	EntityNotFound    Code = "ENTITY_NOT_FOUND" // in mode update
	ReferenceNotFound Code = "REFERENCE_NOT_FOUND"
	KeyAmbiguous      Code = "KEY_AMBIGUOUS"      // several stored rows have a key that no unique index guarantees
	RefusedByTrigger  Code = "REFUSED_BY_TRIGGER" // a trigger of a declared type's table dropped the row
	ChangedByTrigger  Code = "CHANGED_BY_TRIGGER" // a trigger of a declared type's table stored another value
	ValueRounded      Code = "VALUE_ROUNDED"      // to the decimals of a column of a declared type
)

// Warnings report conditions that were accepted.
const (
	FormatMismatch    Code = "FORMAT_MISMATCH"
	HeaderChanged     Code = "HEADER_CHANGED"     // a column name was too long, empty, or contained NUL
	NoRows            Code = "NO_ROWS"            // a header without any rows
	RowsWider         Code = "ROWS_WIDER"         // with the number of empty cells that every row has beyond the header
	ColumnUnknown     Code = "COLUMN_UNKNOWN"     // the options name a column that the file does not have
	FooterLikely      Code = "FOOTER_LIKELY"      // with the number of last rows that look like totals, and the first of them
	RowsHidden        Code = "ROWS_HIDDEN"        // with the number of hidden rows that were read, and the first of them
	ColumnsHidden     Code = "COLUMNS_HIDDEN"     // with the hidden columns that were read
	CellsMerged       Code = "CELLS_MERGED"       // with the number of ranges that are merged over several rows, and the first of them
	SheetUnused       Code = "SHEET_UNUSED"       // a sheet with rows that is not read, and the number of its rows
	SheetChosen       Code = "SHEET_CHOSEN"       // with the sheet that was read, and the first one, which does not have the type's columns
	SourceRefused     Code = "SOURCE_REFUSED"     // the file cannot be read with the requested options, with the reason; the old options still apply
	EncodingUnsure    Code = "ENCODING_UNSURE"    // with both possible encodings and a word decoded with each
	IdentifierUnclear Code = "IDENTIFIER_UNCLEAR" // the header of an identifying column contradicts an option, or several columns name different values of it
	RowSuperseded     Code = "ROW_SUPERSEDED"
	RaceNumberShared  Code = "RACE_NUMBER_SHARED"
	ResultMoved       Code = "RESULT_MOVED"      // the row has the sequence of another participant, whose result got a new one
	StatusKept        Code = "STATUS_KEPT"       // the row has a time, but the participant keeps an earlier DNF, DNS or DSQ
	ResultsKept       Code = "RESULTS_KEPT"      // results of participants who are not in the file, with their number and categories
	ResultElsewhere   Code = "RESULT_ELSEWHERE"  // a participant has, or keeps, a result in another category
	ResultsRemoved    Code = "RESULTS_REMOVED"   // the same, deleted because the file is complete
	PointsRemoved     Code = "POINTS_REMOVED"    // no calculator for the points of a category, with the number of results
	PointsIncomplete  Code = "POINTS_INCOMPLETE" // the winner of a category has no time
	TimeUnitUnsure    Code = "TIME_UNIT_UNSURE"  // all times of a file may be hours and minutes
	ProfileDecided    Code = "PROFILE_DECIDED"   // with the profile's decisions
	ProfileMisfit     Code = "PROFILE_MISFIT"    // with the parts of the profile that do not fit the file or are no longer valid
	MappingUnfit      Code = "MAPPING_UNFIT"     // with the parts of a supplied mapping that match nothing in the file
	// An optional identifying field had placeholders, which were read as empty cells.
	PlaceholderIgnored Code = "PLACEHOLDER_IGNORED"
	// A step of the mapping converts the numbers of a field, with the units.
	UnitConverted Code = "UNIT_CONVERTED"
	// With the column, and the property that is uncertain.
	ColumnUnused         Code = "COLUMN_UNUSED"  // a column with values that no field receives, and the number of its values; with strict it fails the import
	ColumnContent        Code = "COLUMN_CONTENT" // the field accepts hardly any value of the column; with strict it fails the import
	DateOrderUncertain   Code = "DATE_ORDER_UNCERTAIN"
	DecimalMarkUncertain Code = "DECIMAL_MARK_UNCERTAIN"
)

// Warnings about old workbooks: text without a declared code page was decoded as
// Windows-1252; a number format is invalid, so dates may have been read as numbers.
const (
	EncodingAssumed     Code = "ENCODING_ASSUMED"
	NumberFormatUnknown Code = "NUMBER_FORMAT_UNKNOWN"
)
