import { BRAND_KEY_PURPOSES, type KeyPurpose } from '../../security/signing/key-provider.ts'
import { type Rotation, replaceCompromised, rotate } from '../../security/signing/key-rotation.ts'
import { ensureSigningKey } from '../../security/signing/stored-keys.ts'
import type { Db } from '../../store/database.ts'
import { listSigningKeys } from '../../store/identity/signing-keys.ts'
import { defineAct } from '../act.ts'
import { flag } from '../fields.ts'
import { ADMINISTRATORS } from '../roles.ts'
import { about, list, listOf, moment, type Of, object, optional, pageOf, string, word } from '../shape.ts'
import { identityLines, identityShape, showIdentity } from './show-identity.ts'

// Several acts in one file: they list, change and remove the same thing.

const OF_DEPLOYMENT = { roles: ADMINISTRATORS, scope: 'deployment' } as const
const PURPOSES = ['request-signing', 'webhook-signing', 'governance-signing'] as const

export const initIdentity = defineAct({
  ...OF_DEPLOYMENT,
  name: 'identity.init',
  route: 'POST /deployment/identity/init',
  id: 'initIdentity',
  summary: 'Makes the signing keys that are missing.',
  fields: {},
  answer: identityShape,
  command: { help: 'make the keys that are missing, and say what to publish where', text: identityLines },
  watch: (tx) => keyStates(tx),
  async run(context) {
    const box = await context.services.signingKeyBox()
    await context.store.transaction(async (tx) => {
      for (const purpose of PURPOSES) await ensureSigningKey(tx, box, purpose, context.clock())
    })
    return showIdentity(context)
  },
})

/** The signing keys by their ids, for the audit log. */
async function keyStates(tx: Db): Promise<Readonly<Record<string, string>>> {
  return Object.fromEntries((await listSigningKeys(tx)).map(({ purpose, kid, state }) => [`${purpose}.${kid}`, state]))
}

/** A step of the rotation of one key. */
const rotation = object({
  purpose: word(...PURPOSES, ...BRAND_KEY_PURPOSES),
  step: word('announced', 'waiting', 'switched'),
  kid: string,
  ready_at: optional(about('from when on it may sign', moment)),
  retired: optional(about('keys that signed before', listOf(string))),
})

/** Compromised keys are replaced at once: receivers refuse this agent until they fetch the new ones. */
export const rotateSigningKeys = defineAct({
  ...OF_DEPLOYMENT,
  name: 'identity.rotate',
  route: 'POST /deployment/identity/rotate',
  id: 'rotateSigningKeys',
  summary: 'Announces new signing keys; half an hour later, lets them sign and retires the old ones.',
  fields: {
    compromised: flag(
      'replace every key at once: what they signed counts no more, and receivers refuse us until they fetch the new ones',
    ),
  },
  answer: pageOf(rotation),
  command: {
    help: 'announce new keys; run again half an hour later, let them sign and retire the old ones',
    text: ({ items }) => items.map(rotationLine),
  },
  watch: (tx) => keyStates(tx),
  async run(context, { compromised = false }) {
    if (compromised) context.noteName('identity.replace')
    const step = compromised ? replaceCompromised : rotate
    const box = await context.services.signingKeyBox()
    const done = await context.store.transaction(async (tx) => {
      const rotations: Of<typeof rotation>[] = []
      for (const purpose of PURPOSES) rotations.push(presentRotation(purpose, await step(tx, box, purpose, context.clock())))
      for (const purpose of BRAND_KEY_PURPOSES) {
        const subjects = new Set((await listSigningKeys(tx, purpose)).map(({ subject }) => subject))
        for (const subject of subjects)
          rotations.push(presentRotation(purpose, await step(tx, box, purpose, context.clock(), subject)))
      }
      return rotations
    })
    return list(done)
  },
})

function presentRotation(purpose: KeyPurpose, done: Rotation): Of<typeof rotation> {
  const { step, kid } = done
  if (done.step === 'switched') return { purpose, step, kid, retired: done.retired }
  return { purpose, step, kid, ready_at: done.readyAt.toISOString() }
}

function rotationLine({ purpose, kid, step, ready_at: at, retired = [] }: Of<typeof rotation>): string {
  if (step === 'switched') return `${purpose}: ${kid} signs now; retired: ${retired.join(', ') || 'none'}`
  const ready = `run this again after ${at}`
  return step === 'announced' ? `${purpose}: ${kid} is published; ${ready}` : `${purpose}: ${kid} waits; ${ready}`
}
