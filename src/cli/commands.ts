import type { Command } from 'commander'

/** Every command by its name, in the order of the help. */
const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  init: async () => (await import('./init.ts')).initCommand(),
  serve: async () => (await import('./serve.ts')).serveCommand(),
  try: async () => (await import('./try.ts')).tryCommand(),
  tenants: async () => (await import('./tenants.ts')).tenantsCommand(),
  principals: async () => (await import('./principals.ts')).principalsCommand(),
  keys: async () => (await import('./keys.ts')).keysCommand(),
  'admin-keys': async () => (await import('./admin-keys.ts')).adminKeysCommand(),
  changes: async () => (await import('./changes.ts')).changesCommand(),
  users: async () => (await import('./users.ts')).usersCommand(),
  people: async () => (await import('./people.ts')).peopleCommand(),
  notifications: async () => (await import('./notifications.ts')).notificationsCommand(),
  agents: async () => (await import('./agents.ts')).agentsCommand(),
  certificates: async () => (await import('./certificates.ts')).certificatesCommand(),
  'jwt-issuers': async () => (await import('./jwt-issuers.ts')).jwtIssuersCommand(),
  oauth: async () => (await import('./oauth.ts')).oauthCommand(),
  identity: async () => (await import('./identity.ts')).identityCommand(),
  accounts: async () => (await import('./accounts.ts')).accountsCommand(),
  products: async () => (await import('./products.ts')).productsCommand(),
  signals: async () => (await import('./signals.ts')).signalsCommand(),
  brands: async () => (await import('./brands.ts')).brandsCommand(),
  rights: async () => (await import('./rights.ts')).rightsCommand(),
  sessions: async () => (await import('./sessions.ts')).sessionsCommand(),
  orders: async () => (await import('./orders.ts')).ordersCommand(),
  delivery: async () => (await import('./delivery.ts')).deliveryCommand(),
  revenue: async () => (await import('./revenue.ts')).revenueCommand(),
  'direct-orders': async () => (await import('./direct-orders.ts')).directOrdersCommand(),
  billing: async () => (await import('./billing.ts')).billingCommand(),
  adservers: async () => (await import('./adservers.ts')).adserversCommand(),
  approvals: async () => (await import('./approvals.ts')).approvalsCommand(),
  governance: async () => (await import('./governance.ts')).governanceCommand(),
  creatives: async () => (await import('./creatives.ts')).creativesCommand(),
  formats: async () => (await import('./formats.ts')).formatsCommand(),
  webhooks: async () => (await import('./webhooks.ts')).webhooksCommand(),
  privacy: async () => (await import('./privacy.ts')).privacyCommand(),
  'trusted-match': async () => (await import('./trusted-match.ts')).trustedMatchCommand(),
  directory: async () => (await import('./directory.ts')).directoryCommand(),
  registry: async () => (await import('./registry.ts')).registryCommand(),
  adagents: async () => (await import('./adagents.ts')).adagentsCommand(),
  verify: async () => (await import('./verify.ts')).verifyCommand(),
  audit: async () => (await import('./audit.ts')).auditCommand(),
  doctor: async () => (await import('./doctor.ts')).doctorCommand(),
  protocol: async () => (await import('./protocol.ts')).protocolCommand(),
  config: async () => (await import('./config.ts')).configCommand(),
  store: async () => (await import('./store-commands.ts')).storeCommand(),
  migrate: async () => (await import('./migrate.ts')).migrateCommand(),
  copy: async () => (await import('./copy.ts')).copyCommand(),
  backup: async () => (await import('./backup.ts')).backupCommand(),
  restore: async () => (await import('./backup.ts')).restoreCommand(),
}

/**
 * The command that is named, alone: loading all of them takes longer than most of them work. All, in the order of the help, for help and for a
 * word that names none.
 */
export async function commandsFor(word = ''): Promise<readonly Command[]> {
  const named = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined
  return Promise.all((named ? [named] : Object.values(COMMANDS)).map((load) => load()))
}
