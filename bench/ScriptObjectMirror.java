package jdk.nashorn.api.scripting;

/** Stands for a class of Nashorn, which Java 17 no longer has: Maxwell asks for it, no more. */
public final class ScriptObjectMirror {}
