import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { ActCommand, flagOf } from '../../src/cli/act-flags.ts'
import { allCommands } from '../../src/cli/commands.ts'
import type { Act } from '../../src/operator/act.ts'
import { ACTS } from '../../src/operator/acts.ts'
import type { CommandForm } from '../../src/operator/command-form.ts'
import type { FieldSet } from '../../src/operator/fields.ts'
import { showOrderRecords } from '../../src/operator/orders/order-records.ts'

/** Acts that are no command of their own: the command that does the same, and why it is another. */
const BY_ANOTHER: Readonly<Record<string, readonly [command: string, reason: string]>> = {
  'admin-keys.create': ['admin-keys create', 'makes the key of any publisher, and may let it act on the deployment'],
  'oauth.assistants': ['oauth grants', 'the grants of every publisher'],
  'oauth.revoke': ['oauth revoke', 'ends the grant of any publisher’s user'],
  'people.list': ['people list', 'everybody, with their roles for each publisher'],
  'settings.show': ['tenants list', 'every publisher with its settings'],
  'settings.set': ['tenants set', 'the same fields, of any publisher'],
  'tenants.set-public': ['tenants set', 'an option among those of the publisher'],
  'trusted-match.list-providers': ['trusted-match providers list', 'the same rows, each with its health'],
  'creatives.show-rules': ['creatives rules list', 'the rules of every buyer, or of one'],
  'products.save': ['products import', 'the same rows, from a file'],
  'reports.overview': ['revenue', 'with "reports delivery" the same in two tables'],
  ...both(['audit.export', 'audit.export-unknown'], 'audit export', 'streams the whole chain, where an answer has 10,000 links'),
  'adagents.show': ['adagents build', 'writes the file, and the problems beside it'],
  'adagents.validate': ['adagents validate', 'reads a file where there is no store'],
  'directory.crawl': ['directory crawl', 'shows how far it is, and crawls all that is due'],
  ...both(['directory.list-publishers', 'directory.list-exclusions'], 'directory list', 'streams a list of millions'),
  'directory.verify': ['verify', 'works where there is no store'],
  ...both(['doctor.agent', 'doctor.ad-servers', 'doctor.store'], 'doctor', 'looks at any agent, and where there is no store'),
}

/** Commands that are written by hand with their options, beside those of a store and of an answer, and why no act gives them. */
const BY_HAND: Readonly<Record<string, readonly [reason: string, options?: string]>> = {
  ...{
    init: ['makes the store', '--demo --name --domain'],
    serve: ['is the server', '--port --host --workers --sandbox --conformance --stdio --demo --only'],
    try: ['plays a buyer against an agent', '--key --tenant --brief --wait'],
    'webhooks listen': ['receives what an agent sends', '--port --host --agent --jwks --secret-file --public-url --answer'],
    'trusted-match router': ['is a server', '--file'],
    'trusted-match provider': ['is a server', '--file'],
  },
  ...{
    'secrets status': ['reads the secret of this machine'],
    'secrets rotate': ['changes the secret of this machine', '--wait'],
    'secrets retire': ['changes the secret of this machine', '--now'],
    'protocol list': ['reads the data folder'],
    'protocol add': ['writes the data folder', '--sha256'],
    'config check': ['reads the configuration alone'],
    migrate: ['changes the schema of the store', '--check'],
    'store migrate': ['carries one store over into another', '--from'],
    copy: ['copies one store into another', '--from --to'],
    backup: ['writes a store to a file', '--to'],
    restore: ['makes a store from a file', '--from'],
    doctor: ['works without a store', '--store --match-provider'],
    'verify-seller': [
      'asks sellers of others, without a store',
      '--key --brief --no-load --no-stories --stories --seconds --out --sign-with',
    ],
  },
  ...{
    'certificates names': ['reads a file, without a store'],
    'products columns': ['reads a file, without a store'],
    'creatives upload': ['reads a file as it is uploaded', '--tenant'],
    'brands ask': [
      'asks the agent of a brand, without a store',
      '--subsidiary --parent --property --trademark --registry --number',
    ],
    'adagents build': ['writes a file', '--tenant --out'],
    'adagents validate': ['works without a store'],
    verify: ['works without a store', '--owner --collection'],
    'audit export': ['streams', '--tenant --unknown'],
  },
  ...{
    'directory import': ['reads a file of names'],
    'directory crawl': [
      'shows how far it is, and stops when told to',
      '--domain --all --watch --no-wait --accept-pointer --concurrency',
    ],
    'directory lookup': ['streams, from any directory', '--directory --since --status --include'],
    'directory divergence': ['asks any directory', '--directory --sample'],
    'directory list': ['streams', '--excluded'],
    'directory export': ['streams', '--out'],
    'directory mirror import': ['reads a file of millions of rows', '--source --sync-cursor'],
  },
}

/** Options that have one home: `store-options.ts`. */
const OF_EVERY_COMMAND = ['--data', '--config', '--json']

function both(names: readonly string[], ...how: readonly [string, string]) {
  return Object.fromEntries(names.map((name) => [name, how] as const))
}

const commands = (await allCommands()).flatMap((command) => below(command, command.name()))

/** A command and all below it, each with its words. */
function below(command: Command, words: string): readonly { readonly words: string; readonly command: Command }[] {
  return [{ words, command }, ...command.commands.flatMap((each) => below(each, `${words} ${each.name()}`))]
}

const longOf = ({ options }: Command) => options.map(({ long, short }) => long ?? short ?? '')

/** Acts that a command comes to by one of its options, or by the lack of `--tenant`. */
const reachedBy = (act: Act): readonly Act[] =>
  [act.command?.withoutTenant, act.command?.instead?.act, act.command?.dryRun?.({}).act].filter((each) => each !== undefined)

it('every act is a command, part of one, or listed with the command that does the same', () => {
  const reached = new Set(ACTS.flatMap(reachedBy).map(({ name }) => name))
  const without = ACTS.filter(({ name, command }) => !command && !reached.has(name)).map(({ name }) => name)
  expect(without.toSorted()).toEqual(Object.keys(BY_ANOTHER).toSorted())
  const known = commands.map(({ words }) => words)
  expect(Object.values(BY_ANOTHER).flatMap(([words]) => (known.includes(words) ? [] : [words]))).toEqual([])
})

it('every option of a command that no act gives is listed', () => {
  const byHand = commands.flatMap(({ words, command }) => {
    const options = longOf(command).filter((option) => !OF_EVERY_COMMAND.includes(option))
    return command instanceof ActCommand || command.options.length === 0 ? [] : [[words, options.join(' ')] as const]
  })
  const listed = Object.entries(BY_HAND).map(([words, [, options = '']]) => [words, options] as const)
  expect(Object.fromEntries(byHand)).toEqual(Object.fromEntries(listed))
})

/** A part of what an act answers, as a command of another area. */
const PARTS = [['adservers errors', { act: showOrderRecords, form: {} }]] as const

/** What the options of a command made from an act follow from, by its words. */
const forms = new Map<string, { readonly act: Act; readonly form: CommandForm<FieldSet, object, Act> }>([
  ...PARTS,
  ...ACTS.flatMap((act) => {
    const { more = [], ...form } = act.command ?? {}
    return act.command
      ? [form, ...more].map((each) => [each.words ?? act.name.replaceAll('.', ' '), { act, form: { ...form, ...each } }] as const)
      : []
  }),
])

it('a command made from an act has the options that the act declares, and no other', () => {
  const made = commands.filter(({ command }) => command instanceof ActCommand)
  expect(made.length).toBeGreaterThan(200)
  const others = made.flatMap(({ words, command }) => {
    const { act, form } = forms.get(words) ?? {}
    if (!act || !form) return [[words, 'is made from no act']]
    const fields = { ...act.fields, ...form.instead?.act.fields }
    const ofFields = Object.keys(fields).map((name) => flagOf(command, name))
    const declared = [
      ...[...OF_EVERY_COMMAND, ...ofFields, '--tenant'],
      ...Object.keys(form.negations ?? {}).map((name) => flagOf(command, name)?.replace('--', '--no-')),
      ...Object.values(form.aliases ?? {})
        .flat()
        .map((name) => `--${name}`),
      ...(form.earlier ?? []).map((name) => `--${name}`),
      ...[ofFields.includes('--buyer') && '--principal', form.instead && `--${form.instead.flag}`],
      ...[form.dryRun && '--dry-run', form.confirm && '--yes', form.csv && '--csv', form.document && '--document'],
      ...(form.file ? ['--out', '--format'] : []),
    ]
    return longOf(command).flatMap((option) => (declared.includes(option) ? [] : [[words, option]]))
  })
  expect(others).toEqual([])
})
