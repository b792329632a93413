package command

// topics answer words that are no commands, each within one screen. The first word names the topic.
var topics = []struct{ words, text string }{
	{"csv tsv text delimiter separator encoding", `CSV and other text files

The delimiter, the quotes, the encoding and the row of the header are detected. To state them:

  loadbay import users.csv --type USER --option delimiter=";" --option encoding=windows-1252
  loadbay import users.csv --type USER --option headerRow=3

Check a file on this machine first, without uploading it: loadbay check users.csv --type USER`},
	{"excel xlsx xls workbook sheet spreadsheet template", `Excel workbooks

XLSX and XLS files are read as they are. The sheet with the columns of the type is chosen.

  loadbay import members.xlsx --type MEMBERSHIP --period 2026 --option sheetName=Members
  loadbay template MEMBERSHIP -o template.xlsx    # a workbook to fill in
  loadbay errors ID --xlsx errors.xlsx            # the failed rows, to correct them`},
	{"columns column map mapping header match field profile", `Columns and fields

Columns are matched to the fields of the type by their names and values. On a terminal you are asked
about unsure columns. In a script, answer in advance:

  loadbay types USER                                      # the fields of a type
  loadbay import f.csv --type USER --map "Mail=EMAIL" --map "Notes=" --yes
  loadbay imports columns ID                              # what each column was taken for
  loadbay imports mapping ID > mapping.json               # all answers, for import --mapping
  loadbay profiles create NAME --from-import ID --auto    # use them for all such files`},
	{"values value enum name reference unknown create", `Values that do not match

A value such as a membership type must match an existing entry or an allowed word.

  loadbay import f.csv --type MEMBERSHIP --period 2026 --value GENDER:Homme=MALE
  loadbay import f.csv --type MEMBERSHIP --period 2026 --create-missing MEMBERSHIP_TYPE_ID

With --yes, rows with unmatched values have errors: loadbay errors ID`},
	{"dates date number decimal format dateorder", `Dates and numbers

The order of dates and the decimal mark are detected for each column. 03/04/2026 alone is ambiguous:
you are asked, or state it:

  loadbay import f.csv --type USER --option dateOrder=dmy --option decimalMark=,
  loadbay settings set dateOrder=dmy      # the default of your organisation`},
	{"duplicates duplicate update upsert overwrite mode insert existing dedupe dedup deduplicate merge", `Duplicates and updates

By default, a row whose entity exists has an error. With --mode upsert, it updates the entity. Rows
without a difference are counted as unchanged, so a file can be imported again.

  loadbay import users.csv --type USER --mode upsert
  loadbay plan users.csv --type USER --mode upsert    # what would change?`},
	{"dry-run dryrun preview test simulate what-if safe", `Dry run and plan

  loadbay check FILE --type USER            # check a file on this machine
  loadbay import FILE --type USER --dry-run # check it on the installation; nothing is written
  loadbay plan FILE --type USER             # show the changes; exit code 5 if there are any
  loadbay diff ID                           # each changed value of the plan
  loadbay apply ID                          # write exactly these changes`},
	{"rollback revert delete remove restore back cancel stop abort", `Taking changes back

  loadbay undo ID --preview    # the outcome of each change
  loadbay undo ID              # values that were changed later are kept
  loadbay imports cancel ID    # stop an import; written rows are kept`},
	{"failed fail failure error wrong fix repair resume interrupted", `Errors, retries and interrupted uploads

  loadbay errors ID                       # rows with errors
  loadbay errors ID --xlsx errors.xlsx    # correct them in a workbook, and then:
  loadbay import errors.xlsx --type USER --retry-of ID
  loadbay correct ID --field EMAIL --replace "(at)=@" && loadbay retry ID
  loadbay imports resume ID FILE          # continue an interrupted upload`},
	{"cron script automation ci github airflow dbt pipeline schedule nightly job exit", `Scripts and scheduled imports

  loadbay import users.csv --type USER --mode upsert --yes --quiet

LOADBAY_URL and LOADBAY_TOKEN select the installation. Exit codes: 0 success, 3 waits for answers,
4 rows have errors (loadbay help exit-codes). With --json or --jsonl, results are JSON. Recipes for
cron, GitHub Actions, Airflow and dbt: docs/automation.md`},
	{"watch folder directory inbox hot-folder", `Files that appear in a folder

  loadbay import --watch inbox --type USER --mode upsert

Each file is imported without questions, and then moved to the folder inbox/done or inbox/failed. An
installation on AWS can also import what is copied to its bucket: see the guide.`},
	{"timeout slow stuck hang waiting progress performance large big memory", `Large files and long waits

Files are uploaded in parts, and an interrupted upload is continued: loadbay imports resume ID FILE.

  loadbay imports list --active true            # imports that have not ended
  loadbay imports watch ID                      # their progress, and their questions
  loadbay import big.csv --type USER --no-wait  # return after the upload
  loadbay import big.csv --type USER --timeout 5m # wait longer for each response

--debug shows each request with its ID, for your administrator.`},
	{"period event context season year", `Periods and events

Memberships belong to a period, participants and results to an event.

  loadbay contexts MEMBERSHIP                               # their names and IDs
  loadbay import members.csv --type MEMBERSHIP --period 2026
  loadbay import results.csv --type RESULT --event "Spring Run"`},
	{"token sign-in signin auth password key credentials url server config environment proxy permissions scope organisation tenant", `Signing in

  loadbay installation add test https://loadbay.example.org
  loadbay login                                   # with your browser
  loadbay login --device                          # on a machine without one

In a script, set LOADBAY_URL and LOADBAY_TOKEN, to a token or an API key: loadbay keys create NAME.
HTTPS_PROXY selects a proxy. loadbay whoami shows who you are, your organisation and your permissions.`},
	{"approve approval guard limit four-eyes", `Approval

  loadbay plan FILE --type USER --guards '{"updated": "10%"}' --approval other
  loadbay apply ID --digest DIGEST

With --approval other, a person who has not contributed to the import applies it. Guards apply plans
by themselves if they stay within the limits.`},
	{"pipe stdin stdout json jq", `Pipes and JSON

  mysql -e "SELECT …" | loadbay import - --type USER --yes
  loadbay import <(gunzip -c a.csv.gz) <(gunzip -c b.csv.gz) --type USER --yes
  loadbay export users | head
  loadbay imports list --jq '.[] | select(.errorCount > 0).identifier'`},
}
