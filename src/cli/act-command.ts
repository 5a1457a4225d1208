import { Argument, Command, Option } from 'commander'
import { type Act, paramNames } from '../operator/act.ts'
import { allPages } from '../operator/all-pages.ts'
import { checkedValues } from '../operator/check-fields.ts'
import type { FieldSet } from '../operator/fields.ts'
import { ChosenFile } from '../operator/imports/import-fields.ts'
import type { OperatorContext } from '../operator/operator-context.ts'
import { list } from '../operator/shape.ts'
import { listTenants } from '../operator/tenants/list-tenants.ts'
import { AdcpError } from '../protocol/errors.ts'
import { type AnswerOptions, isPage, show } from './act-answer.ts'
import { ActCommand } from './act-flags.ts'
import { addFieldOptions, wordValue } from './act-options.ts'
import { actProgress } from './act-progress.ts'
import { confirm } from './confirm.ts'
import { operate, operateFor, performHere, type TenantOption } from './operate.ts'
import { readImportFile } from './read-import-file.ts'
import { withStoreOptions } from './store-options.ts'

interface ActOptions extends TenantOption, AnswerOptions {
  readonly yes?: boolean
  readonly dryRun?: boolean
}

type Members = Readonly<Record<string, unknown>>

/** A group of commands, made from its acts: options, arguments, help, `--json`, tables, confirmation. */
export function actsCommand(group: string, acts: readonly Act[]): Command {
  const root = new Command(group)
  for (const act of acts) if (act.command) addAct(root, act)
  return root
}

/** The command of one act that belongs to no group of commands. */
export function actCommand(act: Act): Command {
  return commandOf(act, act.command?.words ?? act.name)
}

/** Adds the command of an act below its group. */
export function addAct(root: Command, act: Act): void {
  const { more = [], ...form } = act.command ?? {}
  for (const each of [form, ...more]) addForm(root, { ...act, command: { ...form, ...each } })
}

function addForm(root: Command, act: Act): void {
  const words = (act.command?.words ?? act.name.replaceAll('.', ' ')).split(' ').slice(1)
  const leaf = words.at(-1) ?? act.name
  const parent = words
    .slice(0, -1)
    .reduce((above, word) => above.commands.find((each) => each.name() === word) ?? above.command(word), root)
  parent.addCommand(commandOf(act, leaf))
}

function commandOf(act: Act, leaf: string): Command {
  const { scope, command: form, publisher } = act
  const args = form?.args ?? paramNames(act.path)
  const fixed = Object.keys(form?.fixed ?? {})
  // What `--tenant` names.
  const ofTenant = publisher !== undefined && !args.includes(publisher) ? [publisher] : []
  const command = new ActCommand(leaf).description(form?.help ?? act.summary)
  addArguments(command, act, args)
  withStoreOptions(command)
  if (form?.anyId) command.allowUnknownOption()
  for (const name of fixed) command.flags.set(name, leaf)
  for (const name of ofTenant) command.flags.set(name, '--tenant')
  const ofAll = form?.withoutTenant !== undefined || form?.everyPublisher === true
  if (scope === 'publisher' || ofTenant.length > 0)
    command.option('--tenant <id>', ofAll ? 'the publisher (default: every publisher)' : undefined)
  const read = addFieldOptions(command, act, [...args, ...fixed, ...ofTenant])
  const readOther = addInsteadOptions(command, act)
  addFormOptions(command, act)
  return command.action(async (...given: unknown[]) => {
    const chosen: Members & ActOptions = command.opts()
    const members = { ...form?.defaults, ...form?.fixed, ...(await argumentsOf(act, args, given)), ...read(chosen) }
    const { instead } = form ?? {}
    if (instead && chosen[instead.flag] === true)
      await carryOut(
        instead.isShownAlike ? shownAs(act, instead.act) : instead.act,
        { ...readOther(chosen), ...instead.values(members) },
        chosen,
      )
    else await carryOut(act, members, chosen)
  })
}

function addArguments(command: ActCommand, { fields, command: form }: Act, args: readonly string[]): void {
  for (const name of args) {
    const { required, local, schema, about } = fields[name] ?? {}
    const word = schema?.type === 'array' ? `${name}...` : name
    const argument = new Argument(required || local ? `<${word}>` : `[${word}]`, about)
    // Shown in the help alone, as those of options.
    if (Array.isArray(schema?.enum)) argument.argChoices = schema.enum.map(String)
    command.addArgument(argument)
    command.flags.set(name, name)
  }
  if (form?.assignments === undefined) return
  command.argument('<column=value...>', fields[form.assignments]?.about)
  command.flags.set(form.assignments, 'column=value')
}

/** The option that chooses another act, and options for the fields of that act that it takes. */
function addInsteadOptions(command: ActCommand, { command: form }: Act): (given: Members) => Members {
  if (!form?.instead) return () => ({})
  const { flag, about, act, takes = [] } = form.instead
  command.option(`--${flag}`, about)
  return addFieldOptions(
    command,
    act,
    Object.keys(act.fields).filter((name) => !takes.includes(name)),
  )
}

function addFormOptions(command: Command, { command: form }: Act): void {
  if (form?.dryRun) command.option('--dry-run', 'show what it would come to, and change nothing')
  if (form?.confirm) command.option('--yes', 'do not ask first')
  if (form?.csv) command.option('--csv', 'print CSV')
  if (form?.document) command.option('--document', 'print it as it is entered, to change it')
  for (const name of form?.earlier ?? []) command.addOption(new Option(`--${name}`, 'the default').hideHelp())
  const [first, ...others] = form?.file?.forms ?? []
  if (others.length > 0)
    command.addOption(new Option('--format <form>', 'form of the file').choices([String(first), ...others]).default(first))
  if (form?.file) command.option('--out <file>', 'file to write (default: standard output)')
  else command.option('--json')
}

/** The fields that arguments give: those that stand alone, then those that are written `name=value`. */
async function argumentsOf({ fields, command: form }: Act, args: readonly string[], given: readonly unknown[]): Promise<Members> {
  const members: Record<string, unknown> = {}
  for (const [index, name] of args.entries()) {
    const word = given[index]
    if (word === undefined) continue
    members[name] = fields[name]?.local ? new ChosenFile(await readImportFile(String(word))) : wordValue(fields[name], word)
  }
  const rest = given[args.length]
  if (form?.assignments !== undefined && Array.isArray(rest)) members[form.assignments] = assigned(rest.map(String))
  return members
}

function assigned(words: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    words.map((word) => {
      const at = word.indexOf('=')
      if (at > 0) return [word.slice(0, at), word.slice(at + 1)]
      const message = `"${word}" is not of the form column=value, e.g. price=12.5`
      throw new AdcpError('INVALID_REQUEST', message, { field: 'column' })
    }),
  )
}

/** An act with the form of another command, whose answer is alike. */
function shownAs({ command }: Act, act: Act): Act {
  return command ? { ...act, command } : act
}

async function carryOut(act: Act, members: Members, options: ActOptions): Promise<void> {
  const { publisher } = act
  if (publisher !== undefined && !Object.hasOwn(members, publisher))
    return operateFor(options, (operator, tenantId) => run(operator, '', act, { ...members, [publisher]: tenantId }, options))
  if (act.scope === 'deployment')
    return operate(options, (operator) => run(operator, '', act, members, options), act.command?.createsStore)
  const everywhere = act.command?.withoutTenant
  if (everywhere && options.tenant === undefined) return carryOut(shownAs(act, everywhere), members, options)
  if (act.command?.everyPublisher && options.tenant === undefined)
    return operate(options, async (operator) => show(act, await ofEveryPublisher(operator, act, members), members, '', options))
  return operateFor(options, (operator, tenantId) => run(operator, tenantId, act, members, options))
}

/** What an act lists for each publisher of the deployment, as one list. */
async function ofEveryPublisher(operator: OperatorContext, act: Act, members: Members) {
  const items: unknown[] = []
  for (const { tenant } of await listTenants(operator)) {
    const page = await performHere(operator, tenant, act, members)
    if (isPage(page)) items.push(...page.items)
  }
  return list(items)
}

async function run(operator: OperatorContext, tenantId: string, act: Act, members: Members, options: ActOptions): Promise<void> {
  const { fill } = act.command ?? {}
  if (fill && members[fill.field] === undefined)
    return run(operator, tenantId, act, { ...members, [fill.field]: await fill.value(operator, tenantId) }, options)
  const tried = options.dryRun === true ? act.command?.dryRun?.(members) : undefined
  const [chosen, values] = tried ? [tried.act, tried.values] : [act, members]
  if (!tried && !options.yes && act.command?.confirm) {
    // What is refused anyway is not asked about.
    checkedValues(members, act.fields)
    const look = (others: Members) => performHere(operator, tenantId, act, others)
    const question = await act.command.confirm(members, tenantId, look)
    if (question !== undefined) await confirm(question)
  }
  const progress = actProgress(process.stderr, () => performance.now())
  const answer = await answerOf({ ...operator, progress }, tenantId, chosen, values)
  show(chosen, answer, members, tenantId, options)
  const notes = await chosen.command?.notes?.(operator, tenantId, values, answer)
  for (const line of notes ?? []) process.stderr.write(`${line}\n`)
}

/** The answer of an act; a list that the command shows whole is read page by page. */
async function answerOf(operator: OperatorContext, tenantId: string, act: Act<FieldSet, object>, members: Members) {
  const { allPages: whole } = act.command ?? {}
  const first = await performHere(operator, tenantId, act, members)
  if (whole === undefined || members.cursor !== undefined || members.limit !== undefined || !isPage(first)) return first
  const read = async (cursor: string | undefined) => {
    if (cursor === undefined) return first
    const page = await performHere(operator, tenantId, act, { ...members, cursor })
    return isPage(page) ? page : { items: [], next_cursor: null }
  }
  const items = await allPages<unknown>(read, whole === true ? undefined : whole)
  return { ...first, items, next_cursor: null }
}
