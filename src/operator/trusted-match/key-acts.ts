import { listMatchKeys as listStoredKeys } from '../../store/trusted-match/match-keys.ts'
import { defineAct } from '../act.ts'
import { required } from '../fields.ts'
import { momentOrSpan } from '../moment.ts'
import { ADMINISTRATORS, READERS } from '../roles.ts'
import { boolean, list, moment, named, object, orNull, pageOf, string } from '../shape.ts'
import { idText } from '../text-form.ts'
import { makeMatchKey, revokeMatchKeyOf, showMatchKeys } from './match-keys.ts'

// Several acts in one file: they list, change and remove the same thing.

const keyShape = named(
  'ShownMatchKey',
  object({ kid: string, x: string, created_at: moment, retired_at: orNull(moment), revoked_at: orNull(moment) }),
)

export const listMatchKeys = defineAct({
  name: 'trusted-match.list-keys',
  route: 'GET /trusted-match/keys',
  id: 'listMatchKeys',
  roles: READERS,
  summary: 'Keys that the router of the publisher signs with, the signing one first.',
  fields: {},
  answer: pageOf(keyShape),
  command: {
    words: 'trusted-match keys list',
    columns: [
      ['KEY', ({ kid }) => kid],
      ['PUBLIC', ({ x }) => x],
      ['CREATED', (key) => key.created_at],
      ['RETIRED', (key) => key.retired_at ?? ''],
      ['REVOKED', (key) => key.revoked_at ?? ''],
    ],
  },
  run: async (context) => list(await showMatchKeys(context, context.tenantId)),
})

export const rotateMatchKey = defineAct({
  name: 'trusted-match.rotate-key',
  route: 'POST /trusted-match/keys/rotate',
  id: 'rotateMatchKey',
  roles: ADMINISTRATORS,
  summary: 'Makes the key that signs from now on.',
  fields: {},
  answer: object({ kid: string, x: string }),
  command: { words: 'trusted-match keys rotate', text: ({ kid }) => [`${kid} signs from now on`] },
  watch: async (tx, { tenantId }) => ({
    signs: (await listStoredKeys(tx, tenantId)).find((key) => key.retired_at === null)?.kid,
  }),
  run: (context) => makeMatchKey(context),
})

export const revokeMatchKey = defineAct({
  name: 'trusted-match.revoke-key',
  route: 'POST /trusted-match/keys/{kid}/revoke',
  id: 'revokeMatchKey',
  roles: ADMINISTRATORS,
  summary: 'Revokes a key that leaked.',
  fields: { kid: required(idText('id of the key')), from: momentOrSpan('a day, a time or a span (default: now)') },
  answer: object({ kid: string, revoked: boolean }),
  command: { words: 'trusted-match keys revoke', text: ({ kid }) => [`revoked ${kid}`] },
  async watch(tx, { tenantId }, { kid }) {
    const key = (await listStoredKeys(tx, tenantId)).find((each) => each.kid === kid)
    return key && { revoked_at: key.revoked_at }
  },
  async run(context, { kid, from }) {
    await revokeMatchKeyOf(context, { kid, from })
    return { kid, revoked: true }
  },
})
