import type { FieldSet, Values } from './fields.ts'
import type { OperatorContext } from './operator-context.ts'

/** A column of a table on the command line: its heading, and the text of a cell. */
export type Column<Row> = readonly [heading: string, cell: { show(row: Row): string }['show']]

/** The rows of an answer that is a list. */
type RowOf<A> = A extends { readonly items: readonly (infer Row)[] } ? Row : never

/** An option without a value, and what it makes of a field. */
export interface Switch {
  readonly flag: string
  readonly about: string
  readonly on: string | boolean
  /** Without the option; absent: the field is not sent. */
  readonly off?: string | boolean
}

/** How the command line takes the fields of an act and shows its answer as text; `OtherAct`: what it calls beside it. With `--json` it prints the answer itself. */
export interface CommandForm<F extends FieldSet, A extends object, OtherAct extends object> {
  /** Words of the command; default: the name of the act, with spaces. */
  readonly words?: string
  /** What the help says; default: the summary of the act. */
  readonly help?: string
  /** Fields that are arguments, in their order; default: the parameters of the path. */
  readonly args?: readonly (keyof F & string)[]
  /** Values of fields that need not be named here. */
  readonly defaults?: Readonly<Record<string, string>>
  /** Options with another name than their field, e.g. `{ ends_at: 'end' }`. */
  readonly flags?: Readonly<Record<string, string>>
  /** Fields of a word or of true and false that an option without a value sets, e.g. `{ status: { flag: 'resume', on: 'active', off: 'suspended' } }`. */
  readonly switches?: Readonly<Record<string, Switch>>
  /** Fields of true and false whose option takes `on` or `off`. */
  readonly onOff?: readonly (keyof F & string)[]
  /** Options that may be given without a value, and what they stand for then, e.g. `{ digest_hour: { timing: 'digest' } }`. */
  readonly bare?: Readonly<Record<string, Readonly<Record<string, string>>>>
  /** Values that the words of the command say already: these fields have no option. */
  readonly fixed?: Readonly<Record<string, string | boolean>>
  /** Further commands of the same act: what is different from this one. */
  readonly more?: readonly (Omit<CommandForm<F, A, OtherAct>, 'more'> & { readonly words: string })[]
  /** Fields of true and false that `--no-NAME` sets to false, e.g. `{ context_match: 'it is not asked about contexts' }`, with what its help says. */
  readonly negations?: Readonly<Record<string, string>>
  /** Fields whose option names a file that holds the value, as JSON. */
  readonly files?: readonly (keyof F & string)[]
  /** Lists whose option takes several words too: `--types orders.pause orders.resume`. */
  readonly variadic?: readonly (keyof F & string)[]
  /** Fields whose value is read from standard input, with `--NAME-stdin`: what must not be in a command line. */
  readonly stdin?: readonly (keyof F & string)[]
  /** An object of texts that the arguments after the others give, as `name=value`. */
  readonly assignments?: keyof F & string
  /** Fields that need not be sent and that this command needs. */
  readonly needs?: readonly (keyof F & string)[]
  /** Fields that the command does not take: an argument stands for them. */
  readonly without?: readonly string[]
  /** Earlier names of options, by the field that they give; taken, and not in the help. */
  readonly aliases?: Readonly<Record<string, string | readonly string[]>>
  /** Options of earlier versions that change nothing any more; taken, and not in the help. */
  readonly earlier?: readonly string[]
  /** Ids that are arguments may begin with `-`. */
  readonly anyId?: true
  /** A list that has no `--tenant`: those of every publisher. */
  readonly everyPublisher?: true
  /** The act, with the same fields, that it is without `--tenant`: for the whole deployment. */
  readonly withoutTenant?: OtherAct
  /** A field that need not be named: what it is then. */
  readonly fill?: {
    readonly field: keyof F & string
    readonly value: (context: OperatorContext, tenantId: string) => Promise<string>
  }
  /** Another act under an option of this command, e.g. `keys revoke --signing`; `takes`: its fields that have an option here too. */
  readonly instead?: {
    readonly flag: string
    readonly about: string
    readonly act: OtherAct
    readonly takes?: readonly string[]
    values(values: Values<F>): Readonly<Record<string, unknown>>
    /** Its answer is shown as that of this command. */
    readonly isShownAlike?: true
  }
  /** It makes the store where there is none yet. */
  readonly createsStore?: true
  /**
   * For what cannot be undone: the question to answer before it is done, unless `--yes` is given; undefined: there is nothing to ask. `look` carries the act
   * out with other values.
   */
  confirm?(
    values: Values<F>,
    tenantId: string,
    look: (values: Values<F>) => Promise<A>,
  ): string | undefined | Promise<string | undefined>
  /** `--dry-run`: an act that shows what this one would come to, and changes nothing. */
  dryRun?(values: Values<F>): { readonly act: OtherAct; readonly values: Readonly<Record<string, unknown>> }
  /** The columns of a list. */
  readonly columns?: readonly Column<RowOf<A>>[]
  /** A list by pages that the command shows whole, unless `--cursor` or `--limit` is given. A number: rows at most, else it is refused. */
  readonly allPages?: true | number
  /** The lines of any other answer. */
  text?(answer: A, values: Values<F>, tenantId: string): readonly string[]
  /** The answer is a file: `--out` names one to write, `--format` its form where there are several; the first is the default. */
  readonly file?: { readonly forms: readonly string[]; text(answer: A, form: string): string | Uint8Array }
  /** `--document`: the part of the answer that is a document which another command takes. */
  document?(answer: A): object
  /** Lines for standard error when it is done. */
  notes?(context: OperatorContext, tenantId: string, values: Values<F>, answer: A): Promise<readonly string[]>
  /** Lines below the table of a list. */
  footer?(answer: A, values: Values<F>): readonly string[]
  /** Whether the command ends with exit code 1, for scripts: what was asked is answered with no. */
  fails?(answer: A): boolean
  /** Whether it ends with exit code 2 instead: those who were asked did not answer, so that nothing is known. */
  isUnknown?(answer: A): boolean
  /** `--csv`: the answer as CSV. */
  csv?(answer: A): string
  /** What `--json` prints where scripts rely on other names of members than those of the answer. */
  json?(answer: A, values: Values<F>, tenantId: string): object
}
