#!/usr/bin/env bash
# Copies Loadbay's database into an empty one. Both may be RDS instances, Aurora or any Postgres:
#
#   FROM=postgres://loadbay_admin@old/loadbay TO=postgres://loadbay_admin@new/loadbay infra/dbcopy/copy.sh
#
# Connect as the owner of both, with the passwords in PGPASSFILE. Nothing else may write during
# the copy. It copies the schemas loadbay and sample; a database of release 0.1.0 gets them when
# `migrate` of a later release has run. Row level security applies to owners too, and RDS cannot create roles that bypass it.
# The script therefore creates a temporary role with policies that show it every row, and passes
# --enable-row-security to pg_dump. At the end it compares the row counts of all tables.
set -euo pipefail
: "${FROM:?the database to copy, postgres://…}" "${TO:?the empty database to copy to, postgres://…}"
jobs=${JOBS:-4}
schemas="'loadbay', 'sample'"
reader=loadbay_copy
folder=$(mktemp -d)

run() { psql --no-psqlrc --quiet --tuples-only --no-align --set ON_ERROR_STOP=1 --dbname "$1"; }
log() { echo "copy: $*" >&2; }

# revoke removes the policies and grants of the reader.
revoke() {
	run "$1" <<-SQL
		SELECT format('DROP OWNED BY %I', rolname) FROM pg_roles WHERE rolname = '$reader' \gexec
	SQL
}
drop() {
	run "$1" <<-SQL
		SELECT format('DROP ROLE IF EXISTS %I', '$reader') WHERE NOT EXISTS (
			SELECT FROM pg_shdepend WHERE refclassid = 'pg_authid'::regclass AND refobjid = (SELECT oid FROM pg_roles WHERE rolname = '$reader')) \gexec
	SQL
}
clean() {
	local status=$?
	rm -rf "$folder"
	for database in "$FROM" "$TO"; do revoke "$database" || status=1; done
	for database in "$FROM" "$TO"; do drop "$database" || status=1; done
	exit "$status"
}

[[ $(run "$FROM" <<<"SELECT count(*) FROM pg_namespace WHERE nspname IN ($schemas)") = 2 ]] ||
	{ log "the database to copy has no schemas $schemas: run migrate of this release there first"; exit 1; }
[[ $(run "$TO" <<<"SELECT count(*) FROM pg_namespace WHERE nspname IN ($schemas)") = 0 ]] ||
	{ log "the target database is not empty: it has tables already"; exit 1; }
hiding=$(run "$FROM" <<<"SELECT policyname || ' on ' || tablename FROM pg_policies WHERE permissive = 'RESTRICTIVE' AND schemaname IN ($schemas)")
[[ -z $hiding ]] || { log "restrictive policies would hide rows: $hiding"; exit 1; }
trap clean EXIT

log "creating the role that reads every row"
run "$FROM" <<-SQL
	SELECT format('CREATE ROLE %I', '$reader') WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '$reader') \gexec
	BEGIN;
	GRANT $reader TO CURRENT_USER;
	GRANT USAGE ON SCHEMA loadbay, sample TO $reader;
	GRANT SELECT ON ALL TABLES IN SCHEMA loadbay, sample TO $reader;
	GRANT SELECT ON ALL SEQUENCES IN SCHEMA loadbay, sample TO $reader;
	SELECT format('CREATE POLICY copied ON %s FOR SELECT TO $reader USING (true)', oid::regclass) FROM pg_class
		WHERE relrowsecurity AND relnamespace::regnamespace::text IN ($schemas) \gexec
	COMMIT;
SQL

log "creating the roles that have grants"
run "$FROM" >"$folder/roles" <<-SQL
	SELECT DISTINCT format('SELECT %L WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = %L) \gexec', format('CREATE ROLE %I', rolname), rolname)
	FROM pg_shdepend JOIN pg_roles r ON r.oid = refobjid
	WHERE refclassid = 'pg_authid'::regclass AND deptype IN ('a', 'r') AND rolname <> CURRENT_USER AND rolname NOT LIKE 'pg\_%'
		AND dbid = (SELECT oid FROM pg_database WHERE datname = current_database());
SQL
run "$TO" <"$folder/roles"
run "$TO" <<<"GRANT $reader TO CURRENT_USER"

log "copying the rows"
pg_dump --format directory --schema loadbay --schema sample --jobs "$jobs" --role "$reader" --enable-row-security --no-owner --file "$folder/dump" "$FROM"
# A pg_dump that is older than the server copies column options that only the server may set.
if pg_restore --schema-only --file - "$folder/dump" | grep 'pg_attver=' >/dev/null; then
	log "$(pg_dump --version) is older than the database: install the current minor release"
	exit 1
fi
# Foreign keys are checked against all rows only while row level security is not enabled.
pg_restore --list "$folder/dump" >"$folder/all"
grep -vE '^[0-9]+; [0-9]+ [0-9]+ (POLICY|ROW SECURITY) ' "$folder/all" >"$folder/first"
grep -E '^[0-9]+; [0-9]+ [0-9]+ (POLICY|ROW SECURITY) ' "$folder/all" >"$folder/last"
pg_restore --jobs "$jobs" --no-owner --exit-on-error --use-list "$folder/first" --dbname "$TO" "$folder/dump"
pg_restore --no-owner --exit-on-error --use-list "$folder/last" --dbname "$TO" "$folder/dump"
run "$TO" <<<"ANALYZE"

log "comparing the row counts"
count() {
	run "$1" <<-SQL
		SET ROLE $reader;
		SELECT format('SELECT %L, count(*) FROM %s', oid::regclass, oid::regclass) FROM pg_class
			WHERE relkind = 'r' AND relnamespace::regnamespace::text IN ($schemas) ORDER BY relname \gexec
		SELECT sequencename, last_value FROM pg_sequences WHERE schemaname IN ($schemas) ORDER BY sequencename;
	SQL
}
count "$FROM" >"$folder/old"
count "$TO" >"$folder/new"
diff "$folder/old" "$folder/new" >&2 || { log "the databases differ"; exit 1; }
log "$(grep -c . "$folder/new") tables and sequences are equal"
