-- Replaces every table of the schema sample that belongs to organisations by one of the same name,
-- partitioned by HASH (organisation_id), with its rows, keys, triggers, policies and grants. Only the
-- rows of batches (bulk_upload_row) have a key without the organisation: the job's.
DO $$
DECLARE
	tables regclass[] := ARRAY(SELECT attrelid::regclass FROM pg_attribute JOIN pg_class c ON c.oid = attrelid
		WHERE relnamespace = 'sample'::regnamespace AND relkind = 'r' AND attname = 'organisation_id' AND relname <> 'bulk_upload_row');
	later text[] := '{}';  -- foreign keys, added when all tables exist
	after text[];          -- everything else of one table
	old regclass;
	name text;
	columns text;
	statement text;
BEGIN
	FOR statement, name, columns IN
		SELECT format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)), conname, conrelid::regclass::text
		FROM pg_constraint WHERE contype = 'f' AND conparentid = 0 AND (conrelid = ANY (tables::oid[]) OR confrelid = ANY (tables::oid[])) ORDER BY oid
	LOOP
		later := later || statement;
		EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', columns, name);
	END LOOP;
	FOREACH old IN ARRAY tables LOOP
		SELECT relname INTO name FROM pg_class WHERE oid = old;
		SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns FROM pg_attribute WHERE attrelid = old AND attnum > 0 AND NOT attisdropped AND attgenerated = '';
		after := ARRAY(SELECT format('ALTER TABLE sample.%I ADD CONSTRAINT %I %s', name, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE conrelid = old AND contype IN ('p', 'u'))
			|| ARRAY(SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = old AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = old))
			|| ARRAY(SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE tgrelid = old AND NOT tgisinternal)
			|| ARRAY(SELECT format('CREATE POLICY %I ON sample.%I AS %s FOR %s TO %s%s%s', policyname, name, permissive, cmd, array_to_string(roles, ', '), ' USING (' || qual || ')', ' WITH CHECK (' || with_check || ')')
				FROM pg_policies WHERE schemaname = 'sample' AND tablename = name)
			|| ARRAY(SELECT format('ALTER TABLE sample.%I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', name) FROM pg_class WHERE oid = old AND relrowsecurity)
			|| ARRAY(SELECT format('GRANT %s ON sample.%I TO %I', privilege_type, name, grantee::regrole) FROM pg_class, aclexplode(relacl) WHERE oid = old)
			|| ARRAY(SELECT format('GRANT %s (%I) ON sample.%I TO %I', privilege_type, attname, name, grantee::regrole) FROM pg_attribute, aclexplode(attacl) WHERE attrelid = old)
			|| ARRAY(SELECT format('ALTER TABLE sample.%I OWNER TO %I', name, relowner::regrole) FROM pg_class WHERE oid = old);
		EXECUTE format('CREATE TABLE sample.partitioned (LIKE %s INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING IDENTITY INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY HASH (organisation_id)', old);
		FOR remainder IN 0..3 LOOP
			EXECUTE format('CREATE TABLE sample.%I PARTITION OF sample.partitioned FOR VALUES WITH (MODULUS 4, REMAINDER %s) WITH (fillfactor = 70)', name || '_' || remainder, remainder);
		END LOOP;
		EXECUTE format('INSERT INTO sample.partitioned (%s) OVERRIDING SYSTEM VALUE SELECT %1$s FROM %s', columns, old);
		EXECUTE format('DROP TABLE %s', old);
		EXECUTE format('ALTER TABLE sample.partitioned RENAME TO %I', name);
		FOREACH statement IN ARRAY after LOOP EXECUTE statement; END LOOP;
	END LOOP;
	FOREACH statement IN ARRAY later LOOP EXECUTE statement; END LOOP;
END $$
