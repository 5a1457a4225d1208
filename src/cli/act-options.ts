import { readFileSync } from 'node:fs'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Act } from '../operator/act.ts'
import type { Switch } from '../operator/command-form.ts'
import type { Field } from '../operator/fields.ts'
import { AdcpError } from '../protocol/errors.ts'
import type { ActCommand } from './act-flags.ts'
import { readNamedFile } from './read-named-file.ts'

/** Adds an option for each field of an act that is no argument, and gives what reads those that were given, by field. */
export function addFieldOptions(
  command: ActCommand,
  { fields, command: form }: Act,
  args: readonly string[],
): (given: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>> {
  const elsewhere = [...args, ...(form?.without ?? []), form?.assignments]
  const options = Object.entries(fields).filter(([name]) => !elsewhere.includes(name))
  for (const [name, field] of options) {
    const change = form?.switches?.[name]
    const isPiped = form?.stdin?.includes(name) ?? false
    const flag = isPiped ? `--${name}-stdin` : `--${change?.flag ?? form?.flags?.[name] ?? name.replaceAll('_', '-')}`
    command.flags.set(name, flag)
    const option = isPiped
      ? new Option(flag, `read the ${name} from standard input: ${field.about}`)
      : change
        ? new Option(flag, change.about)
        : optionOf(flag, field, {
            file: form?.files?.includes(name) ? name : undefined,
            isVariadic: form?.variadic?.includes(name),
            isOnOff: form?.onOff?.includes(name),
            isBare: form?.bare !== undefined && Object.hasOwn(form.bare, name),
          })
    const isNeeded = field.required || (form?.needs?.includes(name) ?? false)
    const isGiven = change || form?.defaults?.[name] !== undefined || form?.fill?.field === name || form?.instead
    const fallback = form?.defaults?.[name]
    if (fallback !== undefined) option.description += ` (default: ${fallback})`
    const isMandatory = !isGiven && isNeeded
    if (isMandatory) option.description += ' (required)'
    command.addOption(option.makeOptionMandatory(isMandatory))
    const negation = form?.negations?.[name]
    if (negation !== undefined) command.addOption(new Option(flag.replace('--', '--no-'), negation))
    // What buyers were called before.
    if (flag === '--buyer') alias(command, '--principal', 'buyer')
    for (const earlier of [form?.aliases?.[name] ?? []].flat()) alias(command, `--${earlier}`, option.attributeName())
  }
  // Switches last: they win over what another option stands for.
  const isSwitch = ([name]: (typeof options)[number]) => Number(form?.switches?.[name] !== undefined)
  const ordered = options.toSorted((a, b) => isSwitch(a) - isSwitch(b))
  return (given) =>
    Object.fromEntries(
      ordered.flatMap(([name]): readonly (readonly [string, unknown])[] => {
        const word = switched(form?.switches?.[name], given[optionName(command, command.flags.get(name) ?? '')])
        if (word === true && form?.bare?.[name]) return Object.entries(form.bare[name])
        const value = word !== undefined && form?.stdin?.includes(name) ? readFileSync(0, 'utf8').replace(/\r?\n$/, '') : word
        return value === undefined ? [] : [[name, value] as const]
      }),
    )
}

/** The value that a word of the command line stands for; what is none is left as it is, and refused where fields are checked. */
export function wordValue(field: Field<unknown> | undefined, word: unknown): unknown {
  if (typeof word !== 'string' || !field) return word
  if (field.schema.type !== 'object') return field.parse?.(word) ?? word
  try {
    return JSON.parse(word)
  } catch {
    return word
  }
}

function switched(change: Switch | undefined, value: unknown): unknown {
  return change ? change[value === true ? 'on' : 'off'] : value
}

/** An earlier name of an option: taken, and not in the help. */
function alias(command: Command, earlier: string, name: string): void {
  command.addOption(new Option(`${earlier} <text>`, `the same as --${name}`).hideHelp())
  command.on(`option:${earlier.slice(2)}`, (value: string) => command.setOptionValueWithSource(name, value, 'cli'))
}

/** The name under which commander has the value of an option. */
function optionName(command: Command, flag: string): string {
  return command.options.find(({ long }) => long === flag)?.attributeName() ?? flag
}

/** `file`: the name of a field whose value is in the file that the option names. */
function optionOf(
  flag: string,
  field: Field<unknown>,
  how: {
    readonly file: string | undefined
    readonly isVariadic: boolean | undefined
    readonly isOnOff: boolean | undefined
    readonly isBare: boolean
  },
): Option {
  const { file, isVariadic = false, isOnOff = false, isBare } = how
  const { type, enum: choices } = field.schema
  if (file !== undefined) return new Option(`${flag} <file>`, field.about).argParser((path: string) => readJson(path, file))
  if (isOnOff) return new Option(`${flag} <switch>`, field.about).argParser(onOff)
  if (type === 'boolean') return new Option(flag, field.about)
  const placeholder =
    type === 'integer' ? 'number' : type === 'array' && field.separated ? 'list' : type === 'object' ? 'json' : 'text'
  const value = isBare ? `[${placeholder}]` : `<${placeholder}${isVariadic ? '...' : ''}>`
  const again = type === 'array' && !field.separated && !isVariadic ? ' (repeat the option for each)' : ''
  const option = new Option(`${flag} ${value}`, `${field.about}${again}`)
  if (Array.isArray(choices)) {
    // Shown in the help alone: another word is refused by the act, as at every door.
    option.argChoices = choices.map(String)
    return option
  }
  if (type === 'array') {
    // A text that holds commas is an item by itself; an empty one is the list without any.
    const itemsOf = (text: string) => (field.separated || text === '' ? wordValue(field, text) : text)
    return option.argParser((text: string, all: readonly unknown[] = []) => all.concat(itemsOf(text)))
  }
  return option.argParser((text: string) => wordValue(field, text))
}

function onOff(word: string): boolean {
  if (word === 'on' || word === 'off') return word === 'on'
  throw new InvalidArgumentError('It must be on or off.')
}

function readJson(path: string, field: string): unknown {
  const bytes = readNamedFile(path, field)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch (cause) {
    throw new AdcpError('INVALID_REQUEST', `${path} is no JSON file`, { field, cause })
  }
}
