import { rotateTokenKey as rotate } from '../../features/oauth/token-keys.ts'
import { defineAct } from '../act.ts'
import { flag, logged } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, listOf, moment, object, string } from '../shape.ts'

/**
 * Signs access tokens with a new key; those signed before still count, unless the keys are `compromised`: then every access token ends, and clients get
 * new ones with their refresh tokens.
 */
export const rotateTokenKey = defineAct({
  name: 'oauth.rotate-key',
  route: 'POST /deployment/oauth/rotate-key',
  id: 'rotateTokenKey',
  roles: ADMINISTRATORS,
  scope: 'deployment',
  summary: 'Signs access tokens with a new key; tokens signed before stay valid.',
  fields: {
    compromised: logged(
      flag('forget the keys before it at once: every access token ends, and is got anew with its refresh token'),
    ),
  },
  answer: object({
    kid: string,
    signs_from: moment,
    kept: about('Keys that tokens are still verified by.', listOf(string)),
  }),
  command: {
    text: ({ kid, signs_from: from, kept }) => [
      `key ${kid} signs access tokens from ${from}; running servers know it by then`,
      kept.length > 0
        ? `${kept.join(', ')} verifies until its last token has run out, an hour later`
        : 'no token from before counts',
    ],
  },
  async run({ store, services, clock, noteChanges }, { compromised = false }) {
    const box = await services.oauthBox()
    const { kid, signsFrom, kept } = await store.transaction(async (tx) => {
      const done = await rotate(tx, box, clock(), { compromised })
      noteChanges({ kid: [null, done.kid], signs_from: [null, done.signsFrom.toISOString()] })
      return done
    })
    return { kid, signs_from: signsFrom.toISOString(), kept }
  },
})
