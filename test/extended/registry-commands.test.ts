import { REGISTRY_COMMANDS, registryCommandsContract } from '../support/registry-commands-contract.ts'

registryCommandsContract(REGISTRY_COMMANDS)
