import { type Config, givenSecrets } from '../config/config.ts'
import { secretPath } from '../security/secrets/deployment-secret.ts'
import { type DeploymentSecrets, openDeploymentSecrets } from '../security/secrets/deployment-secrets.ts'

/** The secrets of the deployment that a configuration describes; its file is made when it is missing. */
export function deploymentSecrets(config: Pick<Config, 'secretFile' | 'data'>): DeploymentSecrets {
  return openDeploymentSecrets(secretFileOf(config), givenSecrets())
}

/** Where the secret is stored unless the environment gives it. */
export function secretFileOf({ secretFile, data }: Pick<Config, 'secretFile' | 'data'>): string {
  return secretFile ?? secretPath(data)
}
