-- What an organisation has before its first import, on one machine: two
-- organisations with the entities that sample files refer to. Running it again
-- changes nothing. Tests ask how far an import is more often than people do.

INSERT INTO organisations (id, name, max_requests_per_minute) VALUES
    (1, 'Harbour Athletics', 600000),
    (2, 'Mountain Runners', 600000)
ON CONFLICT DO NOTHING;

INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES
    (1, 1, '2026', '2026-01-01', '2026-12-31'),
    (2, 1, '2027', '2027-01-01', '2027-12-31'),
    (3, 2, '2026', '2026-01-01', '2026-12-31')
ON CONFLICT DO NOTHING;

INSERT INTO membership_types (id, organisation_id, name) VALUES
    (1, 1, 'Senior'),
    (2, 1, 'Junior'),
    (3, 1, 'Masters'),
    (4, 1, 'Social'),
    (5, 2, 'Senior'),
    (6, 2, 'Family')
ON CONFLICT DO NOTHING;

INSERT INTO events (id, organisation_id, name, starts_on) VALUES
    (1, 1, 'Harbour Half Marathon', '2026-06-07')
ON CONFLICT DO NOTHING;

INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES
    (1, 1, 1, 'Open'),
    (2, 1, 1, 'Junior'),
    (3, 1, 1, 'Veterans')
ON CONFLICT DO NOTHING;

SELECT setval(pg_get_serial_sequence('membership_periods', 'id'), greatest(1000, (SELECT max(id) FROM membership_periods)));
SELECT setval(pg_get_serial_sequence('membership_types', 'id'), greatest(1000, (SELECT max(id) FROM membership_types)));
SELECT setval(pg_get_serial_sequence('events', 'id'), greatest(1000, (SELECT max(id) FROM events)));
SELECT setval(pg_get_serial_sequence('event_categories', 'id'), greatest(1000, (SELECT max(id) FROM event_categories)));
