import { atOnce, type Steps } from '../../platform/concurrency/steps.ts'
import type { Issue } from '../../protocol/errors.ts'
import { isObject } from '../../protocol/is-object.ts'
import { checkProductsFile, MOST_PROBLEMS } from './check-products-file.ts'
import type { Offer } from './offer.ts'
import { offerOf, type ProductDocument, type ProductsFile } from './products-file.ts'

/** One problem of an import file. `pointer` is an RFC 6901 pointer into the file's JSON form. */
export interface ImportProblem {
  readonly pointer: string
  readonly message: string
  readonly productId?: string
}

/** JSON Schema checks that the caller supplies: ours for the file, the official ones for what it holds. */
export interface ImportValidators {
  /** schemas/products-import.json */
  readonly file: (value: unknown) => readonly Issue[]
  /** AdCP core/product.json */
  readonly product: (value: unknown) => readonly Issue[]
  /** AdCP pricing-options/<model>-option.json of a pricing model; undefined for a model that does not exist. */
  readonly pricingOption: (model: string) => ((value: unknown) => readonly Issue[]) | undefined
  /** AdCP core/property.json */
  readonly property: (value: unknown) => readonly Issue[]
  /** AdCP core/collection.json */
  readonly collection: (value: unknown) => readonly Issue[]
}

export interface ImportContext {
  readonly validators: ImportValidators
  /** Ids of the formats of this agent. */
  readonly formatIds: ReadonlySet<string>
}

export type ImportResult =
  | { readonly ok: true; readonly file: ProductsFile }
  | { readonly ok: false; readonly problems: readonly ImportProblem[] }

/** Placeholder for this agent's address while a product is checked; the real address is known only when it is served. */
const STAND_IN_AGENT = 'https://sales-agent.invalid/mcp'

/** {@link judgedFile} at once, for files of a few products. */
export function parseProductsFile(file: unknown, context: ImportContext): ImportResult {
  return atOnce(judgedFile(file, context))
}

/**
 * Reads a parsed import file (schemas/products-import.json). Gives the whole file with its `defaults` applied, or
 * every problem found and no file: an import happens whole or not at all. A step is a product.
 */
export function* judgedFile(file: unknown, context: ImportContext): Steps<ImportResult> {
  const expanded = applyDefaults(file)
  yield
  const shape = context.validators.file(expanded)
  yield
  if (isProductsFile(expanded, shape)) return yield* judged(expanded, context)
  const offers = problemsOfOffers(expanded, shape, context.validators)
  const rest = yield* problemsOfOthers(expanded, shape, context)
  return { ok: false, problems: named(expanded, distinct([...shape.map(problemOf), ...offers, ...rest])) }
}

/** What is wrong with a file whose shape is right. */
function* judged(expanded: ProductsFile, { validators, formatIds }: ImportContext): Steps<ImportResult> {
  let found = 0
  function* each<T>(items: readonly T[], at: string, issuesOf: (item: T) => Steps<readonly Issue[]>): Steps<Issue[][]> {
    const issues: Issue[][] = []
    for (const [index, item] of items.entries()) {
      issues.push(found > MOST_PROBLEMS ? [] : under(`${at}/${index}`, yield* issuesOf(item)))
      found += issues.at(-1)?.length ?? 0
      yield
    }
    return issues
  }
  const offers = (product: ProductDocument) => officialIssues(offerOf(product, STAND_IN_AGENT), validators)
  const perProduct = yield* each(expanded.products, '/products', offers)
  const perProperty = yield* each(expanded.properties ?? [], '/properties', inOneStep(validators.property))
  const perCollection = yield* each(expanded.collections ?? [], '/collections', inOneStep(validators.collection))
  const sound = (index: number) => found <= MOST_PROBLEMS && perProduct[index]?.length === 0
  const official = [...perProduct, ...perProperty, ...perCollection].flat().map(problemOf)
  const problems = [...official, ...(yield* checkProductsFile(expanded, { formatIds, sound }))]
  return problems.length > 0 ? { ok: false, problems: named(expanded, distinct(problems)) } : { ok: true, file: expanded }
}

function inOneStep(issuesOf: (item: unknown) => readonly Issue[]) {
  return function* (item: unknown): Steps<readonly Issue[]> {
    yield
    return issuesOf(item)
  }
}

/** What the official schemas say about products of which only the part that buyers never see, `selling`, is wrong. */
function problemsOfOffers(file: unknown, shape: readonly Issue[], validators: ImportValidators): ImportProblem[] {
  const products: readonly unknown[] = isObject(file) && Array.isArray(file.products) ? file.products : []
  const broken = new Set(shape.map(({ pointer }) => /^\/products\/(\d+)/.exec(pointer)?.[1] ?? 'file'))
  if (broken.has('file')) return []
  const unsound = new Set(shape.filter(({ pointer }) => !IN_SELLING.test(pointer)).map(({ pointer }) => pointer.split('/')[2]))
  return products.flatMap((product, index) => {
    if (!broken.has(String(index)) || unsound.has(String(index)) || !hasOffer(product)) return []
    return under(`/products/${index}`, atOnce(officialIssues(offerOf(product, STAND_IN_AGENT), validators))).map(problemOf)
  })
}

const IN_SELLING = /^\/products\/\d+\/selling(?:\/|$)/

/** Our schema has found fault with `selling` alone, which an offer does not have. */
function hasOffer(product: unknown): product is ProductDocument {
  return isObject(product) && isObject(product.selling)
}

/** Problems of the products whose shape is right, so that all of a file are found at once; none while something beside the products is wrong. */
function* problemsOfOthers(file: unknown, shape: readonly Issue[], context: ImportContext): Steps<ImportProblem[]> {
  const broken = shape.map(({ pointer }) => /^\/products\/(\d+)/.exec(pointer)?.[1])
  if (!isObject(file) || !Array.isArray(file.products) || broken.includes(undefined)) return []
  const { plans: _plans, products, ...rest }: { plans?: unknown; products: unknown[] } = { ...file, products: file.products }
  const others = [...products.keys()].filter((index) => !broken.includes(String(index)))
  if (others.length === 0) return []
  const remaining = { ...rest, products: others.map((index) => products[index]) }
  const shapeOfOthers = context.validators.file(remaining)
  // The schema's findings end at some twenty: where there are more, these are enough to begin with.
  if (!isProductsFile(remaining, shapeOfOthers)) return []
  const result = yield* judged(remaining, context)
  if (result.ok) return []
  return result.problems.map(({ productId: _id, ...problem }) => ({
    ...problem,
    pointer: problem.pointer.replace(/^\/products\/(\d+)/, (_whole, index) => `/products/${others[Number(index)]}`),
  }))
}

/**
 * Findings on a product. The official schema lists pricing models as alternatives, so one mistake in an option fails all nine;
 * the option's own schema says which it is. A step is an option.
 */
function* officialIssues(offer: Offer, validators: ImportValidators): Steps<Issue[]> {
  const inOptions: Issue[] = []
  for (const [index, option] of offer.pricing_options.entries()) {
    const validate = validators.pricingOption(option.pricing_model)
    const issues = validate ? validate(option) : [{ pointer: '/pricing_model', message: 'is no pricing model', keyword: 'enum' }]
    if (inOptions.length <= MOST_PROBLEMS) inOptions.push(...under(`/pricing_options/${index}`, issues))
    yield
  }
  const issues = validators.product(offer)
  return inOptions.length === 0
    ? [...issues]
    : [...inOptions, ...issues.filter((issue) => !issue.pointer.startsWith('/pricing_options/'))]
}

/** A file that our schema accepts has the shape of the type; the official checks follow. */
function isProductsFile(_file: unknown, shapeIssues: readonly Issue[]): _file is ProductsFile {
  return shapeIssues.length === 0
}

function applyDefaults(file: unknown): unknown {
  if (!isObject(file) || !Array.isArray(file.products)) return file
  const { defaults, $schema: _schema, ...rest } = file
  if (!isObject(defaults)) return file
  const { selling: sellingDefaults, ...fields } = defaults
  const withDefaults = (product: unknown): unknown =>
    isObject(product)
      ? {
          ...fields,
          ...product,
          selling: { ...(isObject(sellingDefaults) && sellingDefaults), ...(isObject(product.selling) && product.selling) },
        }
      : product
  return { ...rest, products: file.products.map(withDefaults) }
}

/** Alternatives of a schema repeat themselves. */
function distinct(problems: readonly ImportProblem[]): ImportProblem[] {
  return [...new Map(problems.map((problem) => [`${problem.pointer}\n${problem.message}`, problem])).values()]
}

function under(prefix: string, issues: readonly Issue[]): Issue[] {
  return issues.map((issue) => ({ ...issue, pointer: prefix + issue.pointer }))
}

/** Members of a product that buyers see and a file does not set, and what sets them. */
const NOT_IN_FILES: Readonly<Record<string, string>> = {
  is_custom: 'buyers are told it of products with selling.visibility "custom"; set that instead',
  brief_relevance: 'the answer to each brief says it',
}

function problemOf({ pointer, keyword, message }: Issue): ImportProblem {
  const member = keyword === 'false schema' ? /^\/products\/\d+\/(\w+)$/.exec(pointer)?.[1] : undefined
  const reason = member === undefined ? undefined : NOT_IN_FILES[member]
  return { pointer, message: reason === undefined ? message : `${message}: ${reason}` }
}

/** Adds the id of the product that a pointer lies in, as far as the file names it. */
function named(file: unknown, problems: readonly ImportProblem[]): ImportProblem[] {
  const products: readonly unknown[] = isObject(file) && Array.isArray(file.products) ? file.products : []
  return problems.map((problem) => {
    const index = /^\/products\/(\d+)/.exec(problem.pointer)?.[1]
    const product = index === undefined ? undefined : products[Number(index)]
    return isObject(product) && typeof product.product_id === 'string' ? { ...problem, productId: product.product_id } : problem
  })
}
