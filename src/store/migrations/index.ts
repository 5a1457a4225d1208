import type { Migration } from 'kysely'
import * as m0001 from './0001-initial.ts'
import * as m0113 from './0113-keys-of-agents.ts'
import * as m0114 from './0114-text-form.ts'
import * as m0116 from './0116-inventory-periods.ts'
import * as m0120 from './0120-directory-tombstones.ts'
import * as m0121 from './0121-directory-crawl-list.ts'
import * as m0122 from './0122-directory-feed.ts'
import * as m0125 from './0125-seller-has-products.ts'
import * as m0130 from './0130-directory-since.ts'
import * as m0131 from './0131-directory-identifiers.ts'
import * as m0132 from './0132-feed-subscribers.ts'
import * as m0133 from './0133-directory-mirrors.ts'
import * as m0150 from './0150-ad-server-orders.ts'
import * as m0160 from './0160-embedded-ad-server.ts'
import * as m0170 from './0170-order-list.ts'
import * as m0171 from './0171-admin-keys.ts'
import * as m0180 from './0180-people.ts'
import * as m0220 from './0220-billing-of-agents.ts'
import * as m0230 from './0230-sandbox-directives.ts'
import * as m0250 from './0250-stored-ad-servers.ts'
import * as m0260 from './0260-notifications.ts'
import * as m0261 from './0261-billing.ts'
import * as m0262 from './0262-admin-requests.ts'
import * as m0270 from './0270-product-list.ts'
import * as m0285 from './0285-creative-tombstones.ts'
import * as m0286 from './0286-sandbox-outages.ts'
import * as m0290 from './0290-ad-server-reviews.ts'
import * as m0300 from './0300-delivery-sums.ts'
import * as m0310 from './0310-admin-api.ts'
import * as m0330 from './0330-manual-orders.ts'
import * as m0340 from './0340-trusted-match.ts'
import * as m0400 from './0400-webhook-attempts.ts'
import * as m0410 from './0410-brand-claims.ts'
import * as m0420 from './0420-house-files.ts'
import * as m0430 from './0430-lists-in-state.ts'
import * as m0431 from './0431-webhooks-of-orders.ts'
import * as m0460 from './0460-house-lists.ts'
import * as m0470 from './0470-creative-rules.ts'
import * as m0500 from './0500-stored-upgrades.ts'
import * as m0510 from './0510-tasks-of-rights-changes.ts'
import * as m0520 from './0520-rules-of-caps.ts'
import * as m0530 from './0530-delivery-imports.ts'
import * as m0540 from './0540-secret-rotation.ts'
import * as m0541 from './0541-refused-orders.ts'
import * as m0550 from './0550-deciding-people.ts'
import * as m0590 from './0590-reported-orders.ts'
import * as m0591 from './0591-house-lines-anchor.ts'
import * as m0650 from './0650-order-notes.ts'
import * as m0660 from './0660-admin-answers.ts'
import * as m0661 from './0661-foreign-scopes.ts'
import * as m0670 from './0670-short-form-files.ts'
import * as m0690 from './0690-ad-server-memory.ts'
import * as m0691 from './0691-ad-server-changes.ts'
import * as m0720 from './0720-sealed-queries.ts'
import * as m0730 from './0730-events-before-impressions.ts'
import * as m0745 from './0745-principal-configurations.ts'
import * as m0746 from './0746-queries-of-other-addresses.ts'
import * as m0750 from './0750-inventory-holds.ts'
import * as m0755 from './0755-account-changes.ts'
import * as m0810 from './0810-orders.ts'
import * as m0811 from './0811-order-book.ts'
import * as m0820 from './0820-invoice-documents.ts'
import * as m0840 from './0840-claims-of-documents.ts'
import * as m0860 from './0860-invoice-payments.ts'
import * as m0870 from './0870-sealed-sync-addresses.ts'
import * as m0900 from './0900-declined-searches.ts'
import * as m0910 from './0910-charges.ts'
import * as m0911 from './0911-credit-notes.ts'
import * as m0930 from './0930-decided-approvals.ts'
import * as m0940 from './0940-unasked-publishers.ts'
import * as m0942 from './0942-sealed-key-addresses.ts'
import * as m0945 from './0945-embedded-tables.ts'
import * as m0985 from './0985-embedded-placements.ts'
import * as m1000 from './1000-orders-of-approvals.ts'
import * as m1050 from './1050-embedded-place-hours.ts'
import * as m1085 from './1085-reporting.ts'
import * as m1150 from './1150-saved-reports.ts'
import * as m1200 from './1200-billing-books.ts'
import * as m1240 from './1240-invoices-by-account.ts'
import * as m1260 from './1260-reporting-slices.ts'
import * as m1261 from './1261-reporting-cases.ts'
import * as m1262 from './1262-reporting-outlines.ts'
import * as m1300 from './1300-ad-log-positions.ts'
import * as m1320 from './1320-creatives-in-review.ts'
import * as m1340 from './1340-report-schedules.ts'
import * as m1360 from './1360-reporting-files.ts'
import * as m1400 from './1400-flights-of-lines.ts'
import * as m1401 from './1401-rules-of-charges.ts'
import * as m1520 from './1520-seller-checks.ts'
import * as m1540 from './1540-agents-by-address.ts'
import * as m1600 from './1600-reporting-obligations.ts'
import * as m1910 from './1910-account-payments-taken-back.ts'
import * as m1950 from './1950-payers-of-billed-days.ts'
import * as m1980 from './1980-reporting-labs.ts'
import * as m1990 from './1990-parties-of-credits.ts'
import * as m2200 from './2200-identifiers-of-documents.ts'
import * as m2300 from './2300-orders-of-webhooks.ts'
import * as m2310 from './2310-rebuilds-of-sums.ts'
import * as m2320 from './2320-directory-texts.ts'
import * as m2340 from './2340-conversions-in-parts.ts'
import * as m2360 from './2360-actions-by-age.ts'
import * as m2370 from './2370-searched-tasks.ts'
import * as m2400 from './2400-held-webhooks.ts'
import * as m2480 from './2480-second-factors.ts'
import * as m2490 from './2490-digests-of-lists.ts'
import * as m2550 from './2550-hours-of-holds.ts'
import * as m2600 from './2600-requests-of-people.ts'
import * as m2610 from './2610-orders-of-lists.ts'
import * as m2660 from './2660-orders-by-party.ts'
import * as m2700 from './2700-successors-of-keys.ts'
import * as m2900 from './2900-days-of-flat-prices.ts'
import * as m2910 from './2910-refunds.ts'

/** Applied in the order of their names; a released migration never changes. */
export const migrations: Record<string, Migration> = {
  '0001-initial': m0001,
  '0113-keys-of-agents': m0113,
  '0114-text-form': m0114,
  '0116-inventory-periods': m0116,
  '0120-directory-tombstones': m0120,
  '0121-directory-crawl-list': m0121,
  '0122-directory-feed': m0122,
  '0125-seller-has-products': m0125,
  '0130-directory-since': m0130,
  '0131-directory-identifiers': m0131,
  '0132-feed-subscribers': m0132,
  '0133-directory-mirrors': m0133,
  '0150-ad-server-orders': m0150,
  '0160-embedded-ad-server': m0160,
  '0170-order-list': m0170,
  '0171-admin-keys': m0171,
  '0180-people': m0180,
  '0220-billing-of-agents': m0220,
  '0230-sandbox-directives': m0230,
  '0250-stored-ad-servers': m0250,
  '0260-notifications': m0260,
  '0261-billing': m0261,
  '0262-admin-requests': m0262,
  '0270-product-list': m0270,
  '0285-creative-tombstones': m0285,
  '0286-sandbox-outages': m0286,
  '0290-ad-server-reviews': m0290,
  '0300-delivery-sums': m0300,
  '0310-admin-api': m0310,
  '0330-manual-orders': m0330,
  '0340-trusted-match': m0340,
  '0400-webhook-attempts': m0400,
  '0410-brand-claims': m0410,
  '0420-house-files': m0420,
  '0430-lists-in-state': m0430,
  '0431-webhooks-of-orders': m0431,
  '0460-house-lists': m0460,
  '0470-creative-rules': m0470,
  '0500-stored-upgrades': m0500,
  '0510-tasks-of-rights-changes': m0510,
  '0520-rules-of-caps': m0520,
  '0530-delivery-imports': m0530,
  '0540-secret-rotation': m0540,
  '0541-refused-orders': m0541,
  '0550-deciding-people': m0550,
  '0590-reported-orders': m0590,
  '0591-house-lines-anchor': m0591,
  '0650-order-notes': m0650,
  '0660-admin-answers': m0660,
  '0661-foreign-scopes': m0661,
  '0670-short-form-files': m0670,
  '0690-ad-server-memory': m0690,
  '0691-ad-server-changes': m0691,
  '0720-sealed-queries': m0720,
  '0730-events-before-impressions': m0730,
  '0745-principal-configurations': m0745,
  '0746-queries-of-other-addresses': m0746,
  '0750-inventory-holds': m0750,
  '0755-account-changes': m0755,
  '0810-orders': m0810,
  '0811-order-book': m0811,
  '0820-invoice-documents': m0820,
  '0840-claims-of-documents': m0840,
  '0860-invoice-payments': m0860,
  '0870-sealed-sync-addresses': m0870,
  '0900-declined-searches': m0900,
  '0910-charges': m0910,
  '0911-credit-notes': m0911,
  '0930-decided-approvals': m0930,
  '0940-unasked-publishers': m0940,
  '0942-sealed-key-addresses': m0942,
  '0945-embedded-tables': m0945,
  '0985-embedded-placements': m0985,
  '1000-orders-of-approvals': m1000,
  '1050-embedded-place-hours': m1050,
  '1085-reporting': m1085,
  '1150-saved-reports': m1150,
  '1200-billing-books': m1200,
  '1240-invoices-by-account': m1240,
  '1260-reporting-slices': m1260,
  '1261-reporting-cases': m1261,
  '1262-reporting-outlines': m1262,
  '1300-ad-log-positions': m1300,
  '1320-creatives-in-review': m1320,
  '1340-report-schedules': m1340,
  '1360-reporting-files': m1360,
  '1400-flights-of-lines': m1400,
  '1401-rules-of-charges': m1401,
  '1520-seller-checks': m1520,
  '1540-agents-by-address': m1540,
  '1600-reporting-obligations': m1600,
  '1910-account-payments-taken-back': m1910,
  '1950-payers-of-billed-days': m1950,
  '1980-reporting-labs': m1980,
  '1990-parties-of-credits': m1990,
  '2200-identifiers-of-documents': m2200,
  '2300-orders-of-webhooks': m2300,
  '2310-rebuilds-of-sums': m2310,
  '2320-directory-texts': m2320,
  '2340-conversions-in-parts': m2340,
  '2360-actions-by-age': m2360,
  '2370-searched-tasks': m2370,
  '2400-held-webhooks': m2400,
  '2480-second-factors': m2480,
  '2490-digests-of-lists': m2490,
  '2550-hours-of-holds': m2550,
  '2600-requests-of-people': m2600,
  '2610-orders-of-lists': m2610,
  '2660-orders-by-party': m2660,
  '2700-successors-of-keys': m2700,
  '2900-days-of-flat-prices': m2900,
  '2910-refunds': m2910,
}
