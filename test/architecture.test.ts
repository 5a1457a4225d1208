import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { filesIn, importsOf, repository as root, sourceFolder as src } from './support/source-files.ts'

const files = filesIn(src)

const inFolder = (path: string, ...folders: string[]) =>
  folders.some((folder) => path === folder || path.startsWith(`${folder}/`))

/**
 * Values that a folder or file may import at run time, beside itself. Types may come from anywhere below the transports.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  config: ['protocol/field-of.ts', 'platform/decode/yaml-document.ts'],
  domain: [
    'platform/concurrency/steps.ts',
    'platform/decode/foreign-json.ts',
    'platform/decode/read-number.ts',
    'protocol/errors.ts',
    'protocol/envelope-members.ts',
    'protocol/nearest-name.ts',
    'protocol/is-object.ts',
  ],
  protocol: [
    'platform/decode/contract-archive.ts',
    'platform/decode/archive-fault.ts',
    'platform/concurrency/yield-to-event-loop.ts',
  ],
  'platform/log.ts': ['platform/readable-log.ts'],
  'platform/readable-log.ts': ['platform/terminal-text.ts'],
  'platform/terminal-text.ts': [],
  'platform/concurrency': [],
  'platform/decode': ['platform/concurrency', 'platform/libraries', 'platform/encode'],
  'platform/encode': ['platform/libraries'],
  'platform/libraries': [],
  'platform/shutdown.ts': [],
  'platform/version.ts': [],
  'platform/net': [
    'protocol/errors.ts',
    'domain',
    'platform/concurrency/yield-to-event-loop.ts',
    'platform/decode/foreign-json.ts',
  ],
  'platform/scheduler': ['platform/concurrency'],
  'platform/kafka': ['ad-serving/embedded/stream/event-stream.ts'],
  'platform/valkey': ['ad-serving/embedded/counters/cap-counters.ts'],
  'platform/metrics': ['store/backlog.ts', 'platform/decode/decode-refusals.ts', 'platform/net/body-room.ts'],
  'platform/tracing': [],
  store: [
    'domain',
    'platform/concurrency',
    'platform/concurrency/yield-to-event-loop.ts',
    'protocol/errors.ts',
    'protocol/shown-result.ts',
    'config/database-url.ts',
  ],
  'security/secrets': ['domain/webhook-address.ts', 'platform/concurrency/yield-to-event-loop.ts'],
  'security/signing': [
    'protocol/errors.ts',
    'protocol/is-object.ts',
    'domain',
    'store/identity/signing-keys.ts',
    'platform/decode/foreign-json.ts',
  ],
  'security/auth': [
    'platform/concurrency',
    'store',
    'security/signing',
    'protocol/errors.ts',
    'protocol/is-object.ts',
    'domain',
    'platform/net',
    'platform/decode/foreign-json.ts',
    'platform/libraries',
  ],
  'ad-serving': [
    'domain',
    'store',
    'platform/concurrency',
    'platform/scheduler',
    'platform/net',
    'platform/decode',
    'security/auth/service-account.ts',
    'protocol/errors.ts',
    'protocol/foreign-error.ts',
    'protocol/is-object.ts',
    'protocol/own-validators.ts',
  ],
  'features/audiences': ['domain', 'protocol/errors.ts', 'platform/concurrency/yield-to-event-loop.ts'],
  'features/audit': ['domain', 'store', 'platform/scheduler'],
  'features/brands': [
    'domain',
    'store',
    'features/sponsored-intelligence',
    'security/secrets',
    'security/signing/open-brand-file.ts',
    'security/signing/response-envelope.ts',
    'security/signing/rights-credential.ts',
  ],
  'features/catalogs': [
    'domain',
    'store',
    'platform/net',
    'platform/decode',
    'platform/scheduler',
    'platform/concurrency/yield-to-event-loop.ts',
    'protocol/errors.ts',
  ],
  'features/connections': ['protocol/foreign-error.ts', 'protocol/is-object.ts'],
  'features/content-standards': [
    'domain',
    'platform/concurrency/steps.ts',
    'platform/concurrency/yield-to-event-loop.ts',
    'protocol/errors.ts',
  ],
  'features/creatives': [
    'domain',
    'features/content-standards',
    'platform/concurrency/yield-to-event-loop.ts',
    'platform/net',
    'protocol/errors.ts',
    'protocol/is-object.ts',
  ],
  'features/directory': [
    'domain',
    'store',
    'platform/concurrency/yield-to-event-loop.ts',
    'platform/decode/foreign-json.ts',
    'platform/decode/parse-json.ts',
    'platform/net',
    'features/brands/resolve-brand.ts',
    'security/auth/call-limits.ts',
    'security/auth/key-documents.ts',
    'protocol/errors.ts',
    'protocol/is-object.ts',
  ],
  'features/doctor': ['domain/oauth', 'security', 'platform/net'],
  'features/first-buy': ['domain/recovery', 'platform/net', 'protocol', 'platform/decode/foreign-json.ts'],
  'features/governance': [
    'domain',
    'store',
    'security/signing',
    'platform/net',
    'security/secrets',
    'security/auth/key-documents.ts',
    'protocol/errors.ts',
  ],
  'features/notifications': [
    'domain',
    'store',
    'security/signing',
    'platform/net',
    'platform/scheduler',
    'config/notification-settings.ts',
  ],
  'features/oauth': [
    'store',
    'security/secrets',
    'security/auth/identity-provider.ts',
    'platform/scheduler',
    'platform/net',
    'platform/decode/foreign-json.ts',
    'platform/decode/parse-json.ts',
    'config/config.ts',
    'protocol/errors.ts',
    'protocol/is-object.ts',
  ],
  'features/registry': [
    'domain',
    'store',
    'platform/net',
    'platform/scheduler',
    'features/directory',
    'platform/concurrency',
    'protocol',
    'config/config.ts',
  ],
  'features/secrets': ['store', 'security', 'protocol/errors.ts'],
  'features/seller-checks': [
    'domain/product/season.ts',
    'platform/net',
    'platform/decode/foreign-json.ts',
    'protocol/is-object.ts',
  ],
  'features/signals': ['domain', 'protocol/errors.ts'],
  'features/sponsored-intelligence': ['domain', 'protocol/errors.ts'],
  'features/trusted-match': [
    'domain',
    'security/signing/trusted-match-signature.ts',
    'protocol/is-object.ts',
    'platform/decode/foreign-json.ts',
  ],
  'features/webhooks': [
    'domain',
    'store',
    'security/signing',
    'security/secrets',
    'platform/net',
    'platform/scheduler',
    'protocol/errors.ts',
    'platform/decode/foreign-json.ts',
  ],
  tasks: [
    'platform/decode/foreign-json.ts',
    'domain',
    'store',
    'ad-serving',
    'features/audiences',
    'features/brands',
    'features/content-standards',
    'features/creatives',
    'features/directory',
    'features/governance/governance.ts',
    'features/signals',
    'features/sponsored-intelligence',
    'platform/concurrency/yield-to-event-loop.ts',
    'pipeline/task.ts',
    'pipeline/mutating.ts',
    'pipeline/account-not-found.ts',
    'pipeline/offered-tasks.ts',
    'protocol',
  ],
  operator: [
    'domain',
    'store',
    'ad-serving',
    'features',
    'security',
    'tasks',
    'platform/net',
    'platform/decode',
    'platform/concurrency/steps.ts',
    'platform/concurrency/yield-to-event-loop.ts',
    'platform/encode',
    'platform/kafka',
    'platform/valkey',
    'protocol',
    'config/config.ts',
    'config/ads-settings.ts',
    'config/config-error.ts',
  ],
  console: [
    'operator',
    'domain',
    'platform/net',
    'platform/decode',
    'protocol/errors.ts',
    'transports/http/on-demand.ts',
    'transports/http/read-body.ts',
    'transports/http/respond.ts',
    'config/config.ts',
  ],
  'admin-api': [
    'operator',
    'domain',
    'protocol',
    'transports/http',
    'platform/net',
    'platform/decode/foreign-json.ts',
    'platform/decode/parse-json.ts',
  ],
  pipeline: [
    'domain',
    'store',
    'security/auth',
    'security/secrets/secret-box.ts',
    'platform/tracing',
    'platform/concurrency/steps.ts',
    'platform/concurrency/yield-to-event-loop.ts',
    'platform/decode/foreign-json.ts',
    'platform/decode/parse-json.ts',
    'protocol',
  ],
  transports: [
    'ad-serving/embedded/line.ts',
    'pipeline',
    'tasks',
    'domain',
    'store',
    'protocol',
    'platform/concurrency/steps.ts',
    'platform/concurrency/yield-to-event-loop.ts',
    'platform/net/body-room.ts',
    'platform/net/client-address.ts',
    'platform/net/peer.ts',
    'platform/decode/user-agent.ts',
    'platform/decode/consent.ts',
    'platform/decode/html-head.ts',
    'platform/decode/foreign-json.ts',
    'platform/decode/parse-json.ts',
    'features/directory/lookup-cache.ts',
    'features/directory/lookup.ts',
    'features/directory/page-cache.ts',
    'features/registry/refusal.ts',
    'features/trusted-match/publishers.ts',
    'security/signing/trusted-match-signature.ts',
    'features/oauth/pages.ts',
    'features/oauth/paths.ts',
    'features/oauth/scopes.ts',
    'security/auth',
  ],
}

/** Folders whose JSON is that of the own store, of the own command line, and of the official files that are installed. */
const OWN_JSON = ['store', 'cli', 'protocol', 'ad-serving/embedded']

/** Files elsewhere that parse what this program wrote: rows, sealed texts, its own positions behind the fingerprint of a query, and copies. */
const READS_OWN_JSON = [
  'ad-serving/gam/report-run.ts',
  'ad-serving/gam/remembered.ts',
  'compose/backend-types.ts',
  'compose/report-backends.ts',
  'domain/registry/present-agent.ts',
  'domain/registry/present-event.ts',
  'domain/trusted-match/context/forwarded-context.ts',
  'domain/webhook/webhook-attempt.ts',
  'features/audit/verify-chain.ts',
  'features/directory/agent-view.ts',
  'features/directory/export.ts',
  'features/directory/indexed-rows.ts',
  'features/directory/lookup.ts',
  'features/directory/publisher-view.ts',
  'features/oauth/adapter.ts',
  'features/oauth/external-login.ts',
  'features/oauth/token-keys.ts',
  'features/registry/authorization-operations.ts',
  'features/registry/read-operations.ts',
  'features/registry/refresh-agents.ts',
  'features/registry/resolve-entities.ts',
  'features/registry/search-profiles.ts',
  'features/secrets/holders.ts',
  'features/webhooks/deliver.ts',
  'features/webhooks/publisher-changes.ts',
  'operator/admin-keys/run-once.ts',
  'operator/approvals/decision-facts.ts',
  'operator/approvals/list-approvals.ts',
  'operator/approvals/list-decisions.ts',
  'operator/audit/read-audit.ts',
  'operator/buyers/list-buyers.ts',
  'operator/creatives/list-creatives.ts',
  'operator/direct-orders/cancellation-fees.ts',
  'operator/direct-orders/direct-progress.ts',
  'operator/direct-orders/present-direct-order.ts',
  'operator/keys/list-keys.ts',
  'operator/keys/rotate-key.ts',
  'operator/make-goods/short-line.ts',
  'operator/oauth/stored-grants.ts',
  'operator/orders/find-shortfalls.ts',
  'operator/orders/read-orders.ts',
  'operator/people/own-factors.ts',
  'operator/people/sign-in-elsewhere.ts',
  'operator/placements/read-placements.ts',
  'operator/products/list-products.ts',
  'operator/products/product-cells.ts',
  'operator/registry/manage-registry.ts',
  'operator/seller-checks/show-own-check.ts',
  'operator/webhooks/list-webhooks.ts',
  'operator/webhooks/show-webhook.ts',
  'platform/readable-log.ts',
  'security/auth/grading.ts',
  'security/auth/own-agent.ts',
  'security/secrets/sealed-answer.ts',
  'security/signing/stored-keys.ts',
  'tasks/approvals/end-waiting-changes.ts',
  'tasks/brand/grant-approved.ts',
  'tasks/brand/plan-grant.ts',
  'tasks/compliance/force-task-completion.ts',
  'tasks/media-buy/book-approved.ts',
  'tasks/media-buy/change-approved.ts',
  'tasks/media-buy/give-back-held.ts',
  'tasks/sponsored-intelligence/conversation.ts',
  'transports/ads/tag-script.ts',
]

/** Loads the optional runner of the official storyboards, for a command. */
const PLAYS_STORIES = 'cli/official-stories.ts'

/** What puts the others together, and may import any of them. */
const COMPOSE = ['compose', 'main.ts', 'index.ts', 'ad-server.ts', 'ranking.ts', 'cli']

/** Ad servers, and what puts them together: for compose alone. */
const AD_SERVERS = ['ad-serving/simulator/simulator.ts', 'ad-serving/routed-ad-server.ts']

/** Commands whose rules still lie in their own file, not in operator/. */
const RULES_IN_COMMANDS = ['directory-lookup.ts'].map((file) => `cli/${file}`)

/** How an amount is written is part of printing it. */
const PRINTED_MONEY = 'domain/money.ts'

/** What is not part of the program, lowest first: each imports itself and those before it. What tests, tools and benchmarks share lies in test/support. */
const BESIDE_THE_PROGRAM = ['tools/contracts', 'test/support', 'tools', 'bench', 'test']

/** Data of tests, for everybody. */
const DATA = 'test/fixtures'

/** Folders whose areas have a direction too: of two of them only one may reach the other. */
const DIRECTED = ['domain', 'store', 'tasks', 'features', 'operator']

/** Files that import against the direction of their areas; none may be added. */
const AGAINST_DIRECTION = [
  // The charges of an account are those of its orders.
  'tasks/account/account-charges.ts',
  // What is waiting is of every area, and each area puts there what waits.
  'tasks/approvals/kinds.ts',
  'tasks/approvals/queue.ts',
  // Delivery of creatives is that of the orders which have them.
  'tasks/creative/creative-deliveries.ts',
]

/**
 * Files of the domain that name types of the wire; none may be added. All others are written in types of the core's own: who reads a request and who
 * presents an answer hold the two together.
 */
const WIRE_IN_DOMAIN = [
  // Its casts say which words of a collection's own file the protocol has.
  'domain/collection-list/resolve.ts',
  // A format is what the official schema says, down to the requirements of each slot.
  'domain/creative/formats/filter-formats.ts',
  'domain/creative/formats/format.ts',
  // Capabilities are an answer of the protocol about the protocol.
  'domain/protocol/buyer-data-capabilities.ts',
  'domain/protocol/capabilities.ts',
  'domain/protocol/controller-scenarios.ts',
  'domain/protocol/creative-capabilities.ts',
  'domain/protocol/execution-capabilities.ts',
  'domain/protocol/specialisms.ts',
]

/** Files that may import each other in a circle: what is one thing in a few files. */
const MOST_IN_A_CIRCLE = 5

/** A folder as the import rules see it: two levels below these, one elsewhere. */
function moduleOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return ['security', 'platform', 'features', 'transports'].includes(first) && !second.endsWith('.ts')
    ? `${first}/${second}`
    : first
}

/** An area of a folder: a folder in it; undefined for what lies beside the areas, and for what is elsewhere. */
function areaIn(folder: string): (path: string) => string | undefined {
  return (path) => {
    const [first, area, ...inside] = path.split('/')
    return first === folder && inside.length > 0 ? area : undefined
  }
}

/** Pairs of folders each of which can be reached from the other by imports, those of types included. */
function cyclesBetweenFolders(
  folderOf: (path: string) => string | undefined = moduleOf,
  exempt: readonly string[] = [],
): string[] {
  const edges = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    const from = folderOf(path)
    if (from === undefined || exempt.includes(path)) continue
    const targets = edges.get(from) ?? new Set()
    edges.set(from, targets)
    for (const { target } of imports) {
      const to = target.endsWith('.ts') ? folderOf(target) : undefined
      if (to !== undefined && to !== from) targets.add(to)
    }
  }
  const reached = new Map([...edges.keys()].map((folder) => [folder, reachableFrom(folder, edges)]))
  const pairs = [...reached].flatMap(([a, below]) =>
    [...below].filter((b) => a < b && reached.get(b)?.has(a)).map((b) => `${a} ⇄ ${b}`),
  )
  return pairs.sort()
}

function reachableFrom(folder: string, edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const seen = new Set<string>()
  const open = [folder]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    for (const target of edges.get(next) ?? []) {
      if (seen.has(target)) continue
      seen.add(target)
      open.push(target)
    }
  }
  return seen
}

/** Files each of which can be reached from each other by imports, those of types included: one list for each such group (Tarjan's algorithm). */
function groupsInCircles(): string[][] {
  const imports = new Map(files.map(({ path, imports }) => [path, imports.map(({ target }) => target)]))
  const order = new Map<string, number>()
  const open: string[] = []
  const groups: string[][] = []
  /** The earliest file that is still open and can be reached from this one. */
  const visit = (path: string): number => {
    const own = order.size
    order.set(path, own)
    open.push(path)
    let earliest = own
    for (const target of imports.get(path) ?? []) {
      const seen = order.get(target)
      if (seen === undefined) earliest = Math.min(earliest, visit(target))
      else if (open.includes(target)) earliest = Math.min(earliest, seen)
    }
    if (earliest === own) groups.push(open.splice(open.indexOf(path)).sort())
    return earliest
  }
  for (const path of imports.keys()) if (!order.has(path)) visit(path)
  return groups.filter((group) => group.length > 1)
}

const circles = groupsInCircles()

describe('architecture', () => {
  it.each(Object.entries(MAY_IMPORT))('%s imports only what lies below it', (folder, allowed) => {
    const wrong = files
      .filter((file) => inFolder(file.path, folder))
      .flatMap((file) =>
        file.imports
          .filter(({ target, typeOnly }) => !typeOnly && target.endsWith('.ts') && !inFolder(target, folder, ...allowed))
          .map(({ target }) => `${file.path} → ${target}`),
      )
    expect(wrong).toEqual([])
  })

  it('no two folders import each other, not even types, directly or through others', () => {
    expect(cyclesBetweenFolders()).toEqual([])
  })

  it.each(DIRECTED)('no two areas of %s import each other, not even types, directly or through others', (folder) => {
    expect(cyclesBetweenFolders(areaIn(folder), AGAINST_DIRECTION)).toEqual([])
  })

  it('no more than five files import each other in a circle, not even types', () => {
    expect(circles.filter((group) => group.length > MOST_IN_A_CIRCLE)).toEqual([])
  })

  it('no files of the acts import each other in a circle, not even types', () => {
    expect(circles.filter((group) => group.some((path) => inFolder(path, 'operator')))).toEqual([])
  })

  it('rows of tables are declared in rows.ts of their area, beside which nothing of the store is read', () => {
    const tables = files.find(({ path }) => path === 'store/tables.ts')
    expect(tables?.imports.filter(({ target }) => !target.endsWith('/rows.ts'))).toEqual([])
    const wrong = files
      .filter(({ path }) => inFolder(path, 'store') && path.endsWith('/rows.ts'))
      .flatMap(({ path, imports }) =>
        imports
          .filter(({ target }) => inFolder(target, 'store') && !target.endsWith('/rows.ts'))
          .map(({ target }) => `${path} → ${target}`),
      )
    expect(wrong).toEqual([])
  })

  it('tests, tools and benchmarks import each other in one direction', () => {
    const layerOf = (path: string) => BESIDE_THE_PROGRAM.findIndex((folder) => inFolder(path, folder))
    const beside = ['test', 'tools', 'bench'].flatMap((top) =>
      filesIn(join(root, top)).map(({ path, text }) => ({
        path: join(top, path),
        imports: importsOf(join(root, top, path), text, root),
      })),
    )
    const wrong = beside.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => layerOf(target) > layerOf(path) && !inFolder(target, DATA))
        .map(({ target }) => `${path} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  it('every folder and file has its place', () => {
    const homeless = files.filter(({ path }) => !inFolder(path, ...Object.keys(MAY_IMPORT), ...COMPOSE))
    expect(homeless.map(({ path }) => path)).toEqual([])
  })

  it('nothing below imports what puts it together', () => {
    const above = [...COMPOSE, 'admin-api', 'transports', 'console', 'operator', 'features/doctor']
    const wrong = files
      .filter((file) => !inFolder(file.path, ...above))
      .flatMap((file) =>
        file.imports.filter(({ target }) => inFolder(target, ...above)).map(({ target }) => `${file.path} → ${target}`),
      )
    expect(wrong).toEqual([])
  })

  it('a command parses, calls operator and prints: it has no rules and no queries', () => {
    const wrong = files.filter(
      (file) =>
        inFolder(file.path, 'cli') &&
        file.imports.some(
          ({ target, typeOnly }) =>
            !typeOnly && target !== PRINTED_MONEY && inFolder(target, 'store', 'domain', 'features', 'security', 'tasks'),
        ),
    )
    expect(wrong.map(({ path }) => path).sort()).toEqual(RULES_IN_COMMANDS)
  })

  it('the console names no roles: they are those of acts', () => {
    const named = files.filter(
      ({ path, text }) =>
        inFolder(path, 'console') &&
        (/\b(?:READERS|SELLERS|ACCOUNTANTS|EDITORS|ADMINISTRATORS)\b/.test(text) ||
          /\brole [!=]== '(?:administrator|ad_operations|finance|viewer)'/.test(text.replaceAll('person.role', ''))),
    )
    expect(named.map(({ path }) => path)).toEqual([])
  })

  it('only compose picks an ad server', () => {
    const wrong = files.filter(
      (file) =>
        !inFolder(file.path, 'compose') && file.imports.some(({ target, typeOnly }) => !typeOnly && AD_SERVERS.includes(target)),
    )
    expect(wrong.map(({ path }) => path)).toEqual([])
  })

  it.each([
    ['jose', ['security']],
    ['ajv', ['protocol/new-ajv.ts', 'protocol/linear-keywords.ts', 'protocol/tagged-unions.ts']],
    ['@modelcontextprotocol/', ['transports/mcp', 'transports/json-rpc']],
    ['a2a', ['transports/a2a']],
    ['better-sqlite3', ['store/sqlite/sqlite-better.ts']],
    ['node:sqlite', ['store/sqlite/sqlite-node.ts']],
    ['pg', ['store/postgres']],
    ['commander', ['cli']],
    ['oidc-provider', ['features/oauth']],
    ['bowser', ['platform/decode']],
    ['csv-parse', ['platform/decode']],
    ['fflate', ['platform/decode']],
    ['image-size', ['platform/decode']],
    ['isbot', ['platform/decode']],
    ['mmdb-lib', ['platform/decode']],
    ['modern-tar', ['platform/decode']],
    ['pdfkit', ['platform/libraries']],
    ['read-excel-file', ['platform/libraries']],
    ['write-excel-file', ['platform/libraries']],
    ['yaml', ['platform/decode']],
    ['fast-xml-parser', ['platform/decode']],
    ['prom-client', ['platform/metrics', 'compose/workers.ts']],
    ['@opentelemetry/', ['platform/tracing', 'pipeline/record-call-spans.ts', 'compose/tracing-provider.ts']],
    ['kysely', ['store']],
    ['undici', ['platform/net']],
    ['ipaddr.js', ['platform/net']],
    ['pino', ['platform/log.ts']],
  ])('only its home imports %s', (library, homes) => {
    const matches = (target: string) => target === library || target.startsWith(library.endsWith('/') ? library : `${library}/`)
    const wrong = files.filter(
      (file) => !inFolder(file.path, ...homes) && file.imports.some(({ target, typeOnly }) => !typeOnly && matches(target)),
    )
    expect(wrong.map((file) => file.path)).toEqual([])
  })

  it.each([
    ['context', 'identity'],
    ['identity', 'context'],
  ])('Trusted Match: nothing that the %s path loads belongs to the %s path', (path, other) => {
    const partOf = (name: string) => (file: string) => file.includes(`trusted-match/${name}/`)
    const importsByPath = new Map(files.map((file) => [file.path, new Set(file.imports.map(({ target }) => target))] as const))
    const starts = files.map((file) => file.path).filter(partOf(path))
    const wrong = starts.flatMap((start) => [...reachableFrom(start, importsByPath)].filter(partOf(other)))
    expect(starts.length).toBeGreaterThan(0)
    expect(wrong).toEqual([])
  })

  it.each([
    [
      'decompresses',
      /\b(?:createGunzip|createInflate(?:Raw)?|createUnzip|createBrotliDecompress|(?:gunzip|inflate|inflateRaw|unzip|brotliDecompress)(?:Sync)?)\(/,
      ['platform/decode', 'platform/net/read-body.ts', 'operator/directory/mirrors.ts', 'protocol/compiled-validators.ts'],
    ],
    ['writes the head of a response', /\.writeHead\(/, ['transports/http/respond.ts']],
    [
      // A run of marks costs the square of its length, and some characters become eighteen.
      'normalises text',
      /\.normalize\('NF/,
      ['domain/normal-text.ts', 'pipeline/credential-names.ts', 'security/auth/password.ts'],
    ],
  ])('what %s has its home, where it is bounded', (_what, pattern, homes) => {
    const users = files.filter(({ text }) => pattern.test(text)).map(({ path }) => path)
    expect(users.filter((path) => !inFolder(path, ...homes))).toEqual([])
    expect(homes.filter((home) => !users.some((path) => inFolder(path, home)))).toEqual([])
  })

  it('what strangers wrote is parsed as JSON where it is bounded', () => {
    const users = files.filter(({ text }) => /\bJSON\.parse\b/.test(text)).map(({ path }) => path)
    expect(users.filter((path) => !inFolder(path, 'platform/decode', ...OWN_JSON, ...READS_OWN_JSON))).toEqual([])
    expect(READS_OWN_JSON.filter((path) => existsSync(join(src, path)) && !users.includes(path))).toEqual([])
  })

  it('the running server loads no code of the SDK', () => {
    const users = files.filter((file) => file.imports.some(({ target, typeOnly }) => !typeOnly && target.startsWith('@adcp/sdk')))
    expect(users.map((file) => file.path)).toEqual([PLAYS_STORIES])
    // Of the command that plays them, when it does.
    expect(files.filter(({ imports }) => imports.some(({ target }) => target === PLAYS_STORIES)).map(({ path }) => path)).toEqual(
      ['cli/verify-seller.ts'],
    )
  })

  it('the core has types of its own: those of the wire are for who reads requests and presents answers', () => {
    const wire = files.filter(
      (file) => inFolder(file.path, 'domain') && file.imports.some(({ target }) => target.startsWith('@adcp/sdk')),
    )
    expect(wire.map(({ path }) => path).sort()).toEqual(WIRE_IN_DOMAIN)
  })

  it('release lines are compared in the protocol alone: what differs is a member of the step between two', () => {
    const users = files.filter(({ path, text }) => !inFolder(path, 'protocol') && /\bcompareLines\(/.test(text))
    // A presenter: its payload names the release and has no contract beside it.
    expect(users.map(({ path }) => path)).toEqual(['transports/a2a/envelope.ts'])
    const askers = files.filter(
      ({ path, text }) => !inFolder(path, 'protocol') && /\.isConverted\b|contract\.line [!=]==/.test(text),
    )
    expect(askers.map(({ path }) => path)).toEqual(['pipeline/steps/convert-request.ts'])
  })

  it('only the configuration reads the environment', () => {
    // The runner of the official storyboards takes the folder of others from there alone.
    const readers = ['config/config.ts', 'config/load-config.ts', PLAYS_STORIES]
    const wrong = files.filter((file) => !readers.includes(file.path) && /process\.env\b/.test(file.text))
    expect(wrong.map((file) => file.path)).toEqual([])
  })

  it('domain has no clock and no chance', () => {
    const wrong = files.filter(
      (file) =>
        inFolder(file.path, 'domain') && /\bDate\.now\(|new Date\(\)|Math\.random\(|randomUUID|setTimeout/.test(file.text),
    )
    expect(wrong.map((file) => file.path)).toEqual([])
  })

  it('bodies of requests are read in one place, which has room for so many of them and no more', () => {
    const reads = files.filter(({ text }) =>
      /\b(?:request|incoming|req)\b(?:\n? *\.on(?:ce)?\('(?:data|readable)'|\.(?:iterator|toArray|pipe|read)\()|await \(const \w+ of (?:request|incoming|req)\b/.test(
        text,
      ),
    )
    expect(reads.map(({ path }) => path)).toEqual(['transports/http/read-body.ts'])
  })

  it('no module keeps mutable state', () => {
    const wrong = files.flatMap((file) =>
      [
        ...file.text.matchAll(
          /^(?:export )?(?:let|var) .*$|^(?:export )?const \w+(?:: (?:Map|Set|Array)\b[^=]*)? = (?:new (?:Map|Set|WeakMap)(?:<[^>]*>)?\(\)|\[\]|\{\}).*$/gm,
        ),
      ].map(([line]) => `${file.path}: ${line}`),
    )
    expect(wrong).toEqual([])
  })
})

/** Of a feed, of a file or bundle of a creative, and of a file that is examined for a person. */
const DECODED_FOR_BUYERS = 4

it('what buyers make this server read is decoded in their name', () => {
  const calls = files.flatMap(({ text }) =>
    [...text.matchAll(/\bdecode\('(?:archive|feed|image)', \{[^}]*\}(,?)/g)].map(([, more]) => more),
  )
  expect(calls).toEqual(Array.from({ length: DECODED_FOR_BUYERS }, () => ','))
})
