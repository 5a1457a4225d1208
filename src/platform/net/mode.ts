/** `development` allows what is only for the machine of a developer. */
export type Mode = 'production' | 'development'
