/* Completion for bash and zsh, from the verbs' tables. */
#include "cli.h"

#include <ctype.h>
#include <string.h>

/* ---- completions for the value of an option: words of its argument ("auto|cpu|TEXT": auto, cpu),
 * files, or nothing */

/* Moves to the next literal word and returns its length, 0 after the last. A capital letter begins
 * a placeholder: "array:NAME" has the literal "array:". */
static int completion_next_word(const char **at)
{
    while (**at) {
        int n = (int)strcspn(*at, "|"), word = 0;
        while (word < n && !isupper((unsigned char)(*at)[word]))
            word++;
        if (word)
            return word;
        *at += n + ((*at)[n] == '|');
    }
    return 0;
}

static const char *after_word(const char *at)
{
    at += strcspn(at, "|");
    return *at ? at + 1 : at;
}

/* An argument without a bar is the name of a value, not a choice of words. */
static void put_words(const cli_option *o)
{
    const char *at = strchr(o->argument, '|') ? o->argument : "", *join = "";
    for (int n; (n = completion_next_word(&at)); at = after_word(at), join = " ")
        printf("%s%.*s", join, n, at);
}

/* A bar separates choices; without one the argument is the name of a value. */
static int has_words(const cli_option *o)
{
    return strchr(o->argument, '|') != NULL;
}

/* Values of type text are files, unless the argument shows another form, such as A:B:STEP or
 * NAME=VALUE. */
static int completion_is_file(const cli_option *o)
{
    if (o->type != CLI_TEXT && o->type != CLI_MAYBE)
        return 0;
    return has_words(o) ? strstr(o->argument, "FILE") != NULL : !strpbrk(o->argument, ":=");
}

static void put_verb_words(const cli_verb *v)
{
    const char *word;
    for (size_t i = 0; (word = v->words(i)); i++)
        printf("%s%s", i ? " " : "", word);
}

/* ---- bash */

/* bash splits words at '=', and passes the parts one by one. */
static const char bash_head[] =
    "# bash completion for impinge, made by 'impinge help --completion bash'\n"
    "_impinge()\n"
    "{\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local verb=${COMP_WORDS[1]} words= files= i\n"
    "    COMPREPLY=()\n"
    "    if [[ $word == = ]]; then # --name=value are three words\n"
    "        before+== word=\n"
    "    elif [[ $before == = ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}=\n"
    "    fi\n"
    "    for ((i = 2; i < COMP_CWORD; i++)); do # files follow\n"
    "        [[ ${COMP_WORDS[i]} == -- ]] && return\n"
    "    done\n";

/* A word that ends with a colon gets no blank after it: a name follows. */
static const char bash_tail[] =
    "    # what is not answered here, bash answers with names of files\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
    "    if [[ ${COMPREPLY[0]-} == *: ]]; then\n"
    "        compopt -o nospace 2>/dev/null || true\n"
    "    elif [[ ! $files ]]; then\n"
    "        compopt +o default 2>/dev/null || true\n"
    "    fi\n"
    "}\n"
    "complete -o default -F _impinge impinge\n";

/* Prints one case: the words or files after an option. An option with an optional value accepts it
 * only after '='. */
static void bash_value(const cli_verb *v, const cli_option *o)
{
    fputs("    ", stdout);
    if (o->letter)
        printf("\"%s -%c\" | ", v->name, o->letter);
    if (cli_option_has_value(o))
        printf("\"%s --%s\" | ", v->name, o->name);
    printf("\"%s --%s=\") ", v->name, o->name);
    if (has_words(o)) {
        fputs("words=\"", stdout);
        put_words(o);
        printf("\"%s", completion_is_file(o) ? " files=1" : "");
    } else {
        fputs(completion_is_file(o) ? "return" : "words=", stdout);
    }
    fputs(" ;;\n", stdout);
}

static void bash_options(const cli_verb *v)
{
    const cli_option *o;
    printf("    \"%s -\"*) words=\"", v->name);
    for (size_t i = 0; (o = cli_option_at(v, i)); i++)
        printf("%s--%s", i ? " " : "", o->name);
    fputs("\" ;;\n", stdout);
}

/* The arguments after the options are files, or the words of the verb. */
static void bash_rest(const cli_verb *v)
{
    printf("    \"%s \"*) ", v->name);
    if (v->words) {
        fputs("words=\"", stdout);
        put_verb_words(v);
        fputs("\" ;;\n", stdout);
    } else {
        fputs("return ;;\n", stdout);
    }
}

/* Cases with the option before the word precede those of the word alone, since they are more
 * specific. */
void cli_completion_bash(void)
{
    const cli_option *o;
    fputs(bash_head, stdout);
    fputs("    if ((COMP_CWORD == 1)); then\n        words=\"", stdout);
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        printf("%s ", (*v)->name);
    for (const cli_package_verb *v = cli_package_verbs; v->name; v++)
        printf("%s ", v->name);
    fputs("--help --version\"\n    else\n    case \"$verb $before\" in\n", stdout);
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        for (size_t i = 0; (o = cli_option_at(*v, i)); i++)
            if (o->type != CLI_FLAG)
                bash_value(*v, o);
    fputs("    *) case \"$verb $word\" in\n", stdout);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        bash_options(*v);
        bash_rest(*v);
    }
    fputs("    *) return ;;\n    esac ;;\n    esac\n    fi\n", stdout);
    fputs(bash_tail, stdout);
}

/* ---- zsh */

/* Prints text within single quotes; brackets and colons are special to _arguments. */
static void zsh_put(const char *text, const char *special)
{
    for (; *text; text++)
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
}

/* Prints the value of the option in the syntax of _arguments. */
static void zsh_action(const cli_option *o)
{
    putchar(':');
    zsh_put(o->argument, ":");
    putchar(':');
    if (has_words(o) && completion_is_file(o)) {
        fputs("_alternative \"words:word:(", stdout);
        put_words(o);
        fputs(")\" \"files:file:_files\"", stdout);
    } else if (has_words(o)) {
        putchar('(');
        put_words(o);
        putchar(')');
    } else {
        fputs(completion_is_file(o) ? "_files" : " ", stdout);
    }
}

/* -x and --name are one option: after either of them, neither is offered again. */
static void zsh_option(const cli_option *o)
{
    int value = cli_option_has_value(o);
    fputs("            ", stdout);
    if (o->letter)
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", o->letter, o->name, o->letter, value ? "+" : "",
               o->name, value ? "=" : "");
    else
        /* =- allows a value in the same word only */
        printf("'--%s%s[", o->name, value ? "=" : cli_option_is_maybe(o) ? "=-" : "");
    /* the text is in brackets */
    zsh_put(o->help, "[]");
    putchar(']');
    if (cli_option_is_maybe(o))
        putchar(':');
    if (o->argument)
        zsh_action(o);
    fputs("' \\\n", stdout);
}

/* -s: letters may be joined; -S: words after -- are no options. */
static void zsh_verb(const cli_verb *v)
{
    const cli_option *o;
    printf("    (%s)\n        _arguments -s -S \\\n", v->name);
    for (size_t i = 0; (o = cli_option_at(v, i)); i++)
        zsh_option(o);
    /* one file, or any number of them */
    printf("            '%s:%s:", v->one ? "1" : "*", v->one ? v->one : "file");
    if (v->words) {
        putchar('(');
        put_verb_words(v);
        putchar(')');
    } else {
        fputs("_files", stdout);
    }
    fputs("'\n        ;;\n", stdout);
}

void cli_completion_zsh(void)
{
    fputs("#compdef impinge\n# made by 'impinge help --completion zsh'\n_impinge()\n{\n"
          "    local -a verbs\n    verbs=(\n",
          stdout);
    for (const cli_verb *const *v = cli_verbs; *v; v++) {
        printf("        '%s:", (*v)->name);
        zsh_put((*v)->text, "");
        fputs("'\n", stdout);
    }
    for (const cli_package_verb *v = cli_package_verbs; v->name; v++) {
        printf("        '%s:", v->name);
        zsh_put(v->text, "");
        fputs("'\n", stdout);
    }
    fputs("    )\n    if ((CURRENT == 2)); then\n        _describe verb verbs\n        return\n"
          "    fi\n    local verb=$words[2]\n    shift words\n    ((CURRENT--))\n"
          "    case $verb in\n",
          stdout);
    for (const cli_verb *const *v = cli_verbs; *v; v++)
        zsh_verb(*v);
    /* this program does not know their options */
    fputs("    (*) _files ;;\n", stdout);
    fputs("    esac\n}\n_impinge \"$@\"\n", stdout);
}
