import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { flagOf } from '../../src/cli/act-flags.ts'
import { allCommands } from '../../src/cli/commands.ts'
import { CHANGE_TYPE } from '../../src/domain/audit/change-type.ts'
import { ACTS } from '../../src/operator/acts.ts'
import { ACT_STEPS } from '../../src/operator/perform.ts'

it('an act runs through these steps, in this order', () => {
  expect(ACT_STEPS.map(({ name }) => name)).toEqual(['identify', 'authorise', 'checkFields', 'replay', 'audit', 'nameFields'])
})

it('every act has a name, an operation and a path of its own', () => {
  for (const of of [ACTS.map(({ name }) => name), ACTS.map(({ id }) => id), ACTS.map(({ method, path }) => `${method} ${path}`)])
    expect(new Set(of).size).toBe(of.length)
  expect(ACTS.filter(({ name }) => !CHANGE_TYPE.test(name)).map(({ name }) => name)).toEqual([])
})

it('what an act is about in the audit log is named by its path, or here', () => {
  const elsewhere = ACTS.flatMap(({ name, changes, inParts, subject, path }) =>
    changes && !inParts && subject !== undefined && !path.includes(`{${subject}}`) ? [`${name}: ${subject}`] : [],
  )
  expect(elsewhere.toSorted()).toEqual([
    'adservers.add: name',
    'adservers.report: order',
    'adservers.sync: order',
    'billing.add-charge: order',
    'buyers.add: buyer',
    'certificates.pin: buyer',
    'creatives.review: mode',
    'keys.create: buyer',
    'registry.add: agent_url',
    'registry.remove: agent_url',
    'sessions.erase: session',
    'trusted-match.add-provider: provider',
    'users.add: username',
  ])
})

it('every area of operator/ that has acts lists them, and every act is in the list', () => {
  const root = fileURLToPath(new URL('../../src/operator', import.meta.url))
  const areas = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const defined = areas.flatMap(({ name }) =>
    readdirSync(`${root}/${name}`).flatMap((file) =>
      [...readFileSync(`${root}/${name}/${file}`, 'utf8').matchAll(/defineAct\(\{\s+(?:\.{3}\w+,\s+)?name: '([a-z.-]+)'/g)].map(
        ([, act = '']) => {
          expect([act, existsSync(`${root}/${name}/acts.ts`)]).toEqual([act, true])
          return act
        },
      ),
    ),
  )
  expect(defined.toSorted()).toEqual(ACTS.map(({ name }) => name).toSorted())
})

describe('the command line', () => {
  const find = (commands: readonly Command[], words: readonly string[]): Command | undefined => {
    const next = commands.find((each) => each.name() === words[0])
    return words.length <= 1 ? next : next && find(next.commands, words.slice(1))
  }

  it('has every field of every act that is a command, as an argument or an option', async () => {
    const commands = await allCommands()
    for (const act of ACTS.filter(({ command }) => command)) {
      const words = (act.command?.words ?? act.name.replaceAll('.', ' ')).split(' ')
      const command = find(commands, words)
      const taken = Object.keys(act.fields).filter((field) => !act.command?.without?.includes(field))
      expect([act.name, taken.filter((field) => flagOf(command, field) === undefined)]).toEqual([act.name, []])
      const renamed = Object.keys(act.command?.flags ?? {}).filter((field) => !Object.hasOwn(act.fields, field))
      expect([act.name, renamed]).toEqual([act.name, []])
    }
  })
})
