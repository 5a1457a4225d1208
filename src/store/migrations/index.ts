import type { Migration } from 'kysely'
import * as m0001 from './0001-tenants-principals-keys.ts'
import * as m0002 from './0002-idempotency.ts'
import * as m0003 from './0003-accounts.ts'
import * as m0004 from './0004-catalogue.ts'
import * as m0005 from './0005-media-buys.ts'
import * as m0007 from './0007-tasks.ts'
import * as m0008 from './0008-directory.ts'
import * as m0010 from './0010-signature-nonces.ts'
import * as m0011 from './0011-credentials.ts'

/** Applied in the order of their names; a released migration never changes. */
export const migrations: Record<string, Migration> = {
  '0001-tenants-principals-keys': m0001,
  '0002-idempotency': m0002,
  '0003-accounts': m0003,
  '0004-catalogue': m0004,
  '0005-media-buys': m0005,
  '0008-directory': m0008,
  '0010-signature-nonces': m0010,
  '0011-credentials': m0011,
  '0007-tasks': m0007,
}
