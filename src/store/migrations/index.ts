import type { Migration } from 'kysely'
import * as m0001 from './0001-tenants-principals-keys.ts'
import * as m0002 from './0002-idempotency.ts'
import * as m0003 from './0003-accounts.ts'
import * as m0004 from './0004-catalogue.ts'
import * as m0005 from './0005-media-buys.ts'
import * as m0006 from './0006-creatives.ts'
import * as m0007 from './0007-tasks.ts'
import * as m0008 from './0008-directory.ts'
import * as m0010 from './0010-signature-nonces.ts'
import * as m0011 from './0011-credentials.ts'
import * as m0012 from './0012-webhooks.ts'
import * as m0013 from './0013-auth-policy.ts'
import * as m0014 from './0014-client-certificates.ts'
import * as m0021 from './0021-lists.ts'
import * as m0022 from './0022-content-standards.ts'
import * as m0030 from './0030-governance.ts'
import * as m0035 from './0035-governance-agents.ts'
import * as m0040 from './0040-signals.ts'
import * as m0041 from './0041-usage.ts'
import * as m0045 from './0045-catalogs.ts'
import * as m0046 from './0046-audiences.ts'
import * as m0047 from './0047-events.ts'
import * as m0050 from './0050-custom-formats.ts'
import * as m0055 from './0055-brands.ts'
import * as m0056 from './0056-rights.ts'
import * as m0057 from './0057-conversations.ts'
import * as m0058 from './0058-usage-of-rights.ts'
import * as m0060 from './0060-approvals.ts'
import * as m0065 from './0065-shared-limits.ts'
import * as m0070 from './0070-audit.ts'
import * as m0075 from './0075-oauth.ts'
import * as m0080 from './0080-directory-page-entry.ts'
import * as m0085 from './0085-registry.ts'
import * as m0090 from './0090-growth.ts'
import * as m0110 from './0110-product-revisions.ts'
import * as m0111 from './0111-next-check.ts'
import * as m0112 from './0112-user-principals.ts'
import * as m0113 from './0113-keys-of-agents.ts'
import * as m0114 from './0114-text-form.ts'

/** Applied in the order of their names; a released migration never changes. */
export const migrations: Record<string, Migration> = {
  '0001-tenants-principals-keys': m0001,
  '0002-idempotency': m0002,
  '0003-accounts': m0003,
  '0004-catalogue': m0004,
  '0005-media-buys': m0005,
  '0006-creatives': m0006,
  '0007-tasks': m0007,
  '0008-directory': m0008,
  '0010-signature-nonces': m0010,
  '0011-credentials': m0011,
  '0012-webhooks': m0012,
  '0013-auth-policy': m0013,
  '0014-client-certificates': m0014,
  '0021-lists': m0021,
  '0022-content-standards': m0022,
  '0030-governance': m0030,
  '0035-governance-agents': m0035,
  '0040-signals': m0040,
  '0041-usage': m0041,
  '0045-catalogs': m0045,
  '0046-audiences': m0046,
  '0047-events': m0047,
  '0050-custom-formats': m0050,
  '0055-brands': m0055,
  '0056-rights': m0056,
  '0057-conversations': m0057,
  '0058-usage-of-rights': m0058,
  '0060-approvals': m0060,
  '0065-shared-limits': m0065,
  '0070-audit': m0070,
  '0075-oauth': m0075,
  '0080-directory-page-entry': m0080,
  '0085-registry': m0085,
  '0090-growth': m0090,
  '0110-product-revisions': m0110,
  '0111-next-check': m0111,
  '0112-user-principals': m0112,
  '0113-keys-of-agents': m0113,
  '0114-text-form': m0114,
}
