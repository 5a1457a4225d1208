import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../src', import.meta.url))
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }))

/** What changes something and is logged without the road of acts, and why. */
const BESIDE_THE_ROAD: Readonly<Record<string, readonly [acts: readonly string[], reason: string]>> = {
  'init/initialise.ts': [['init'], 'makes the store, before anybody has a role'],
  'secrets/retire-secret.ts': [['secrets.retire'], 'changes the file of the secret on this machine'],
  'secrets/rotate-secret.ts': [['secrets.rotate'], 'changes the file of the secret on this machine'],
  'directory/mirrors.ts': [['directory.mirror.import'], 'reads a file of millions of rows from the disk'],
  'directory/change-crawl-list.ts': [['directory.add'], 'a crawl puts the names that it is asked for on the list'],
  'people/accept-invitation.ts': [['people.join'], 'done by who is nobody yet: the link is the right to do it'],
  'people/invite-person.ts': [['people.invite-everywhere'], 'the first administrator, while there is nobody who may invite'],
  'people/sessions.ts': [
    ['people.sign-in', 'people.sign-out', 'people.sign-out-elsewhere'],
    'done by who has no role yet, or in no publisher',
  ],
  'people/own-factors.ts': [
    ['people.add-factor', 'people.remove-factor', 'people.recovery-codes'],
    'changes the own account, of no publisher; before a role may be used',
  ],
  'people/manage-people.ts': [['people.password'], 'changes the own account, of no publisher; guesses are slowed down'],
}

it('what is logged beside the road of acts is listed', () => {
  const found = sources.flatMap(({ path, text }) => {
    const calls = [...text.matchAll(/(?<!function )\bauditedStore\(/g)].length
    return calls === 0 || path === 'operator/perform.ts' ? [] : [[path.replace('operator/', ''), calls] as const]
  })
  expect(Object.fromEntries(found)).toEqual(
    Object.fromEntries(Object.entries(BESIDE_THE_ROAD).map(([path, [acts]]) => [path, acts.length])),
  )
  const unnamed = Object.entries(BESIDE_THE_ROAD).flatMap(([path, [acts]]) => {
    const text = sources.find((each) => each.path === `operator/${path}`)?.text ?? ''
    return acts.flatMap((act) => (text.includes(`'${act}'`) ? [] : [`${path}: ${act}`]))
  })
  expect(unnamed).toEqual([])
})

/** Why acts may share a file: because they are easier to find together. */
const REASONS = [
  'they list, change and remove the same thing',
  'the same decision or change in its directions, such as approve and reject',
  'a list, and one of its items in full',
  'the same act for a publisher, for the deployment, or for one buyer',
  'they ask the same system',
]

it('an act has a file of its own, or the file says why its acts are together', () => {
  const wrong = sources.flatMap(({ path, text }) => {
    const acts = [...text.matchAll(/\bdefine(?:Person)?Act\(\{/g)].length
    const said = [...text.matchAll(/^\/\/ Several acts in one file: (.+)\.$/gm)].map(([, reason = '']) => reason)
    const isRight = acts > 1 ? said.length === 1 && said.every((reason) => REASONS.includes(reason)) : said.length === 0
    return isRight ? [] : [`${path}: ${acts} acts, together for: ${said.join('; ') || 'no reason'}`]
  })
  expect(wrong).toEqual([])
})
