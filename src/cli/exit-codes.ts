/** Of commands that ask others a question: the answer is no. */
export const EXIT_NO = 1

/** Nobody answered, so that nothing is known: a script asks again, where EXIT_NO lets it act. */
export const EXIT_UNKNOWN = 2
