import { Command } from 'commander'
import { ConfigError } from '../config.ts'
import { AdcpError } from '../errors.ts'
import { accountsCommand } from './accounts.ts'
import { adagentsCommand } from './adagents.ts'
import { agentsCommand } from './agents.ts'
import { approvalsCommand } from './approvals.ts'
import { auditCommand } from './audit.ts'
import { backupCommand, restoreCommand } from './backup.ts'
import { brandsCommand } from './brands.ts'
import { certificatesCommand } from './certificates.ts'
import { configCommand } from './config.ts'
import { copyCommand } from './copy.ts'
import { creativesCommand } from './creatives.ts'
import { directoryCommand } from './directory.ts'
import { doctorCommand } from './doctor.ts'
import { formatsCommand } from './formats.ts'
import { governanceCommand } from './governance.ts'
import { identityCommand } from './identity.ts'
import { initCommand } from './init.ts'
import { jwtIssuersCommand } from './jwt-issuers.ts'
import { keysCommand } from './keys.ts'
import { migrateCommand } from './migrate.ts'
import { oauthCommand } from './oauth.ts'
import { principalsCommand } from './principals.ts'
import { privacyCommand } from './privacy.ts'
import { productsCommand } from './products.ts'
import { registryCommand } from './registry.ts'
import { rightsCommand } from './rights.ts'
import { serveCommand } from './serve.ts'
import { sessionsCommand } from './sessions.ts'
import { signalsCommand } from './signals.ts'
import { tenantsCommand } from './tenants.ts'
import { usersCommand } from './users.ts'
import { verifyCommand } from './verify.ts'
import { webhooksCommand } from './webhooks.ts'

const program = new Command('sales-agent')
  .description('AdCP sales agent: products, media buys, creatives and delivery for buyer agents over MCP')
  .showHelpAfterError()
  .addCommand(initCommand())
  .addCommand(serveCommand())
  .addCommand(tenantsCommand())
  .addCommand(principalsCommand())
  .addCommand(keysCommand())
  .addCommand(usersCommand())
  .addCommand(agentsCommand())
  .addCommand(certificatesCommand())
  .addCommand(jwtIssuersCommand())
  .addCommand(oauthCommand())
  .addCommand(identityCommand())
  .addCommand(accountsCommand())
  .addCommand(productsCommand())
  .addCommand(signalsCommand())
  .addCommand(brandsCommand())
  .addCommand(rightsCommand())
  .addCommand(sessionsCommand())
  .addCommand(approvalsCommand())
  .addCommand(governanceCommand())
  .addCommand(creativesCommand())
  .addCommand(formatsCommand())
  .addCommand(webhooksCommand())
  .addCommand(privacyCommand())
  .addCommand(directoryCommand())
  .addCommand(registryCommand())
  .addCommand(adagentsCommand())
  .addCommand(verifyCommand())
  .addCommand(auditCommand())
  .addCommand(doctorCommand())
  .addCommand(configCommand())
  .addCommand(migrateCommand())
  .addCommand(copyCommand())
  .addCommand(backupCommand())
  .addCommand(restoreCommand())

try {
  await program.parseAsync()
} catch (error) {
  if (!(error instanceof AdcpError || error instanceof ConfigError || isOfTheSystem(error))) throw error
  const json = process.argv.includes('--json')
  const code = error instanceof AdcpError ? error.code : 'CONFIGURATION_ERROR'
  console.error(json ? JSON.stringify({ error: { code, message: error.message } }) : `error: ${error.message}`)
  // Whatever was half started must not keep a command alive that has failed.
  process.exit(1)
}

/** A port in use, a folder that cannot be made, a file or a database that refuses: nothing in this program to look for. */
function isOfTheSystem(error: unknown): error is Error {
  return error instanceof Error && ('syscall' in error || 'severity' in error || error.name === 'SqliteError')
}
